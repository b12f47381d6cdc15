import { expect, it } from '@jest/globals';
import { createLogger } from '@penstock/observability';

import { Sweep } from './sweep.js';

it('goes on after a failure and logs an outage once, until a round succeeded', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ service: 'test', level: 'info', destination });
  const fails = [true, true, false, true, true];
  const { promise: done, resolve } = Promise.withResolvers<undefined>();
  const work = () => {
    const failing = fails.shift();
    if (fails.length === 0) resolve(undefined);
    return failing ? Promise.reject(new Error('away')) : Promise.resolve();
  };
  const sweep = new Sweep(work, { logger, intervalMs: 1, failure: 'not swept' });
  sweep.start();
  await done;
  await sweep.stop();
  expect(lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg)).toEqual([
    'not swept',
    'not swept',
  ]);
});
