import { describe, expect, it } from '@jest/globals';

import { SharedReads } from './shared-reads.js';

interface Read {
  readonly name: string;
  finish(revision: bigint): void;
  fail(error: Error): void;
}

function setUp() {
  const reads: Read[] = [];
  const shared = new SharedReads(
    (name) =>
      new Promise<{ revision: bigint }>((resolve, reject) => {
        reads.push({ name, finish: (revision) => resolve({ revision }), fail: reject });
      }),
  );
  return { reads, shared };
}

describe('shared reads', () => {
  it('reads once for all who ask meanwhile, and again for who asks later', async () => {
    const { reads, shared } = setUp();
    const answers = [shared.atLeast('a', 5n), shared.atLeast('a', 5n), shared.atLeast('a', 4n)];
    reads[0]?.finish(5n);
    expect(await Promise.all(answers)).toEqual([{ revision: 5n }, { revision: 5n }, { revision: 5n }]);
    const later = shared.atLeast('a', 5n);
    reads[1]?.finish(5n);
    await later;
    expect(reads).toHaveLength(2);
  });

  it('never answers what was read before the change the caller knows of', async () => {
    const { reads, shared } = setUp();
    const first = shared.atLeast('a', 5n);
    const newer = [shared.atLeast('a', 6n), shared.atLeast('a', 6n)];
    reads[0]?.finish(5n);
    expect(await first).toEqual({ revision: 5n });
    await Promise.resolve();
    reads[1]?.finish(7n);
    expect(await Promise.all(newer)).toEqual([{ revision: 7n }, { revision: 7n }]);
    expect(reads).toHaveLength(2);
  });

  it('shares nothing between names, and no failure with those who come after it', async () => {
    const { reads, shared } = setUp();
    const [a, b] = [shared.atLeast('a', 1n), shared.atLeast('b', 1n)];
    reads[0]?.fail(new Error('database away'));
    reads[1]?.finish(1n);
    await expect(a).rejects.toThrow('database away');
    expect(await b).toEqual({ revision: 1n });
    const again = shared.atLeast('a', 1n);
    reads[2]?.finish(1n);
    expect(await again).toEqual({ revision: 1n });
  });
});
