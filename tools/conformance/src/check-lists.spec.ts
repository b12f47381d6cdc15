import { describe, expect, it } from '@jest/globals';
import { readDeviations } from './checking/deviations.js';
import { coordinatorCheckList } from './coordinator/coordinator-checks.js';
import { workerCheckList } from './worker/worker-checks.js';

const LISTS = [
  { name: 'coordinator', checks: coordinatorCheckList() },
  { name: 'worker', checks: workerCheckList() },
];

describe.each(LISTS)('the checks of a $name', ({ checks }) => {
  it('have names of their own and a section of the protocol', () => {
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
    for (const { id, section, title } of checks) {
      expect(id).toMatch(/^[a-z-]+\.[a-z0-9-]+$/);
      expect(section).toMatch(/^[1-9](\.\d{1,2})?$/);
      expect(title).not.toBe('');
    }
  });
});

it.each([
  ['coordinator-26.9.6', coordinatorCheckList()],
  ['worker-port-26.9.6', workerCheckList(undefined, 'port')],
  ['worker-wildcard-26.9.6', workerCheckList(undefined, 'wildcard')],
])('the deviations of %s are of checks that exist', (name, checks) => {
  const file = new URL(`../deviations/${name}.json`, import.meta.url).pathname;
  const known = new Set(checks.map(({ id }) => id));
  expect(readDeviations(file).deviations.filter(({ id }) => !known.has(id))).toEqual([]);
});
