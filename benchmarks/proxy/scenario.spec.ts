import { describe, expect, it } from '@jest/globals';

import { benchKeys, benchRequests, KEY_COUNT, MOCK_ANSWER } from './scenario.ts';

describe('the benchmark scenario', () => {
  const keys = benchKeys();

  it('has distinct keys and an answer of 279 bytes of JSON', () => {
    expect(new Set(keys.map(({ hash }) => hash)).size).toBe(KEY_COUNT);
    expect(Buffer.byteLength(MOCK_ANSWER)).toBe(279);
    expect(JSON.parse(MOCK_ANSWER)).toHaveProperty('usage.total_tokens', 18);
  });

  it.each([1_024, 32_768])('makes valid requests of exactly %i bytes that their keys allow', (bytes) => {
    for (const { authorization, body } of benchRequests(keys, bytes)) {
      expect(Buffer.byteLength(body)).toBe(bytes);
      const { model } = JSON.parse(body) as { model: string };
      const key = keys.find(({ plaintext }) => `Bearer ${plaintext}` === authorization);
      expect(key?.models).toContain(model);
    }
  });
});
