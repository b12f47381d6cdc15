import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../fixtures/load-fixture.js';
import { ERRORS, type ErrorEntry } from './errors/catalogue.js';
import { displayHint, hashKey } from './keys.js';

const fixture = loadFixture<{
  readonly hashing: readonly {
    readonly plaintext: string;
    readonly sha256_hex: string;
    readonly display_hint: string;
  }[];
  readonly decisions: readonly { readonly name: string; readonly status: number; readonly code?: string }[];
}>('keys');

describe('model API keys', () => {
  it.each(fixture.hashing)('are stored and shown as peers do: $display_hint', (example) => {
    expect(hashKey(example.plaintext)).toBe(example.sha256_hex);
    expect(displayHint(example.plaintext)).toBe(example.display_hint);
  });

  it.each(fixture.decisions.filter(({ code }) => code !== undefined))(
    'have a catalogue entry for $name with its status',
    ({ code, status }) => {
      const entry = (ERRORS as Readonly<Record<string, ErrorEntry>>)[code ?? ''];
      expect(entry).toMatchObject({ status });
      expect(entry?.type).toBeDefined();
    },
  );
});
