import { seededRandom } from './seeded-random.js';

/**
 * Words with what breaks naive relays: characters of two, three and four bytes, quotes, newlines, backslashes,
 * and a text that looks like the end of a stream.
 */
const VOCABULARY = [
  ...['water', 'gate', 'turbine', 'pressure', 'valve', 'river', 'stone', 'flow', 'power', 'night', 'copper'],
  ...['the', 'a', 'of', 'and', 'to', 'in', 'under', 'through', 'slowly', 'again', 'always', 'never'],
  ...[
    'réservoir',
    'naïve',
    '수문',
    '터빈',
    '流水',
    '🚰',
    '👩🏽‍🔧',
    '"quoted"',
    'line\nbreak',
    'back\\slash',
    '[DONE]',
  ],
] as const;

/** The tokens of one answer: the same seed gives the same text. */
export function seededTokens(seed: number, count: number): string[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const word = VOCABULARY[Math.floor(random() * VOCABULARY.length)] ?? 'water';
    return index === 0 ? word : ` ${word}`;
  });
}

/** A unit vector: the same seed gives the same embedding. */
export function seededVector(seed: number, dimensions: number): number[] {
  const random = seededRandom(seed);
  const raw = Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...raw) || 1;
  return raw.map((value) => Math.fround(value / length));
}

/** Rough token count; real tokenizers average about four characters a token. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}
