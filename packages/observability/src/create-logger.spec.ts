import { describe, expect, it } from '@jest/globals';

import { createLogger, type Logger, type LogLevel } from './create-logger.js';
import { wideEvent } from './wide-event.js';

const CANARY_KEY = 'sk-canary_0123456789abcdefghijklmnopqrstuv';
const CANARY = 'canary-0123456789';

function capture(level: LogLevel = 'trace'): {
  logger: Logger;
  lines: string[];
  last(): Record<string, unknown>;
} {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level, destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes JSON lines with an ISO time, the level by name and the service', () => {
    const { logger, last } = capture();
    logger.info({ model: 'm' }, 'hello');
    expect(last()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'test',
      pid: process.pid,
      model: 'm',
      msg: 'hello',
    });
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = capture('warn');
    logger.info('quiet');
    expect(lines).toEqual([]);
  });

  const names = [
    'authorization',
    'Authorization',
    'x-api-key',
    'x-backendai-token',
    'X-BackendAI-Token',
    'token',
    'key',
    'api_key',
    'token_hash',
    'key_hash',
    'secret',
    'password',
    'api_secret',
    'apiSecret',
    'jwt_secret',
    'adminToken',
    'database_url',
    'databaseUrl',
    'redis_url',
    'cookie',
  ];

  it.each(names)('never writes the value of %s, at any depth or level', (name) => {
    const { logger, lines } = capture('trace');
    const secrets = { [name]: CANARY };
    logger.trace(secrets, 'flat');
    logger.debug({ request: { headers: secrets } }, 'nested');
    logger.info({ list: [{ deep: { deeper: [secrets] } }] }, 'in lists');
    logger.warn({ err: Object.assign(new Error('failed'), { details: secrets }) }, 'on an error');
    logger.error({ err: new Error('outer', { cause: Object.assign(new Error('x'), { details: secrets }) }) });
    logger.child(secrets).info('in a child');
    logger.child({ a: 1 }).child({ nested: secrets }).info('in a grandchild');
    wideEvent(logger, 'event', secrets);
    expect(lines).toHaveLength(8);
    expect(lines.join('')).not.toContain(CANARY);
    expect(lines.join('')).toContain('[redacted]');
  });

  it('scrubs credentials out of texts, whoever wrote them', () => {
    const { logger, lines } = capture();
    const url = `postgresql://user:${CANARY}@db:5432/penstock`;
    logger.info(`key ${CANARY_KEY} in a message`);
    logger.info({ note: `Bearer ${CANARY}`, list: [url] });
    logger.error(new Error(`cannot connect to ${url} with ${CANARY_KEY}`));
    logger.error({ err: new Error('outer', { cause: new Error(CANARY_KEY) }) });
    logger.info({ token_hint: 'sk-…wxyz', address: 'http://127.0.0.1:10200/a@b' }, 'harmless');
    expect(lines.join('')).not.toMatch(/canary/);
    expect(lines.at(-1)).toContain('"token_hint":"sk-…wxyz","address":"http://127.0.0.1:10200/a@b"');
    for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('keeps ids that only look like secrets by name', () => {
    const { logger, last } = capture();
    logger.info({ key_id: 'a', token_id: 'b', tokens: 3, prompt_tokens: 4 });
    expect(last()).toMatchObject({ key_id: 'a', token_id: 'b', tokens: 3, prompt_tokens: 4 });
  });

  it('does not change the objects it is given', () => {
    const fields = { headers: { authorization: CANARY }, list: [{ token: CANARY }] };
    capture().logger.info(fields);
    expect(fields).toEqual({ headers: { authorization: CANARY }, list: [{ token: CANARY }] });
  });

  it('shows whether a secret was there at all', () => {
    const { logger, last } = capture();
    logger.info({ token: null, secret: 'x' });
    expect(last()).toMatchObject({ token: null, secret: '[redacted]' });
  });
});

describe('wideEvent', () => {
  it('never throws into the work it describes', () => {
    const { logger } = capture();
    const hostile = {
      get field(): string {
        throw new Error('no');
      },
    };
    expect(() => wideEvent(logger, 'event', hostile)).not.toThrow();
  });

  it('survives fields that go round in circles', () => {
    const { logger, lines } = capture();
    const loop: Record<string, unknown> = { a: 1 };
    loop.self = loop;
    wideEvent(logger, 'event', { loop });
    expect(lines).toHaveLength(1);
  });

  it('writes at the level asked for', () => {
    const { logger, last } = capture();
    wideEvent(logger, 'event', { outcome: 'failed' }, 'warn');
    expect(last()).toMatchObject({ level: 'warn', msg: 'event', outcome: 'failed' });
  });
});
