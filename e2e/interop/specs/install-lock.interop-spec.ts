import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { withLock } from '../stock/install-lock.ts';
import { site } from '../support/site.ts';

/** Two runs at once would install into one folder, and each remove what the other has. */
describe('the lock of the installation', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(site().dir, 'lock-'));
  });

  it('lets one in at a time, and leaves nothing behind', async () => {
    const [order, file] = [[] as string[], join(dir, 'lock')];
    const first = Promise.withResolvers<undefined>();
    const entering = withLock(file, () => first.promise, fail);
    const waiting = withLock(
      file,
      () => Promise.resolve(order.push('second')),
      () => {
        order.push('waits');
        first.resolve(undefined);
      },
    );
    await Promise.all([entering, waiting]);
    expect(order).toEqual(['waits', 'second']);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is open when the process that had it has ended', async () => {
    const file = join(dir, 'lock');
    writeFileSync(file, `${process.pid} of-another-time`);
    expect(
      await withLock(
        file,
        () => Promise.resolve('done'),
        () => undefined,
      ),
    ).toBe('done');
  });
});

function fail(): never {
  throw new Error('nobody has the lock');
}
