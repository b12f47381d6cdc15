import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@penstock/observability';
import { AppError } from '@penstock/protocol';

import { FailureLog } from './failure-log.js';

const away = { kind: 'app', error: new AppError('database.unavailable', 'Try again shortly.') } as const;
const bug = { kind: 'internal', cause: new TypeError('x is not a function') } as const;

function world() {
  const lines: Record<string, unknown>[] = [];
  const clock = { ms: 0 };
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  const logger = createLogger({ service: 'test', level: 'info', destination });
  return { log: new FailureLog(logger, () => clock.ms), lines, clock };
}

describe('FailureLog', () => {
  it('logs an expected failure when it begins, then once a minute with a count', () => {
    const { log, lines, clock } = world();
    for (; clock.ms < 130_000; clock.ms += 1_000)
      log.record(away, 'database.unavailable', { request_id: 'r' });
    expect(lines.map(({ repeated }) => repeated)).toEqual([undefined, 59, 59]);
    expect(lines[0]).toMatchObject({ 'error.code': 'database.unavailable', request_id: 'r' });
  });

  it('keeps failures of different codes apart', () => {
    const { log, lines } = world();
    log.record(away, 'database.unavailable', {});
    log.record(away, 'service.not_ready', {});
    expect(lines).toHaveLength(2);
  });

  it('logs every bug with its cause', () => {
    const { log, lines } = world();
    for (let time = 0; time < 3; time += 1) log.record(bug, 'service.internal', {});
    expect(lines).toHaveLength(3);
    expect(JSON.stringify(lines[0])).toContain('x is not a function');
  });
});
