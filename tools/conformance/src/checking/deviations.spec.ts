import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { applyDeviations, readDeviations } from './deviations.js';
import type { CheckResult, CheckStatus } from './report.js';

const DIRECTORY = new URL('../../deviations/', import.meta.url);

function result(id: string, status: CheckStatus, detail = ''): CheckResult {
  return { id, section: '1', title: 'does it', status, detail, ms: 1 };
}

const listed = { product: 'any', deviations: [{ id: 'known', reason: 'Old.', seen: 'no' }] };

describe('a list of deviations', () => {
  it('makes a listed failure a deviation, and tells what was seen', () => {
    const [judged] = applyDeviations([result('known', 'failed', 'no')], listed);
    expect(judged).toMatchObject({ status: 'deviates', detail: 'Old. Seen: no' });
  });

  it('makes a listed check that passes a failure', () => {
    const [judged] = applyDeviations([result('known', 'passed')], listed);
    expect(judged).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('listed as a deviation'),
    });
  });

  it('leaves what was skipped and what is not listed alone', () => {
    const results = [
      result('known', 'skipped', 'why'),
      result('other', 'failed', 'no'),
      result('fine', 'passed'),
    ];
    expect(applyDeviations(results, listed)).toEqual(results);
  });
});

describe('a file of deviations', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'penstock-deviations-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it.each(['{', '{"product":"x"}', '{"product":"x","deviations":[{"id":"a"}]}'])(
    '%s is refused by name',
    (text) => {
      const file = join(directory, 'list.json');
      writeFileSync(file, text);
      expect(() => readDeviations(file)).toThrow(`${file} is no list of deviations`);
    },
  );

  it.each(['coordinator', 'worker-port', 'worker-wildcard'])('of the published %s is one', (name) => {
    const { deviations } = readDeviations(new URL(`${name}-26.9.6.json`, DIRECTORY).pathname);
    expect(new Set(deviations.map(({ id }) => id)).size).toBe(deviations.length);
  });
});
