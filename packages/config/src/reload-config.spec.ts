import { describe, expect, it } from '@jest/globals';

import type { ReloadResult } from './load-config.js';
import { reloadConfig } from './reload-config.js';

const running = { log_level: 'info', port: 1, hosts: ['a'] };

function reload(result: ReloadResult<typeof running>) {
  const lines: object[] = [];
  const logger = {
    level: 'info',
    info: (fields: object) => void lines.push(fields),
    error: (fields: object) => void lines.push(fields),
  };
  reloadConfig({ file: null, current: () => running, reload: () => result }, running, logger);
  return { level: logger.level, lines };
}

describe('reloadConfig', () => {
  it('puts the log level in force and names what needs a restart', () => {
    const value = { log_level: 'debug', port: 2, hosts: ['a'] };
    expect(reload({ ok: true, value })).toEqual({
      level: 'debug',
      lines: [{ log_level: 'debug', need_restart: ['port'] }],
    });
  });

  it('changes nothing when there are problems', () => {
    const problems = ['port: expected a number'];
    expect(reload({ ok: false, problems })).toEqual({ level: 'info', lines: [{ problems }] });
  });
});
