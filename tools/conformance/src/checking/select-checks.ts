import type { Check } from './check.js';

/**
 * The checks whose id or section matches the pattern: `registration.*`, `2.1`, `*` for any text.
 * @returns none when nothing matches; all without a pattern.
 */
export function selectChecks<Bench>(
  checks: readonly Check<Bench>[],
  pattern: string | undefined,
): readonly Check<Bench>[] {
  if (pattern === undefined) return checks;
  const wanted = pattern.split(',').map(asExpression);
  return checks.filter(({ id, section }) => wanted.some((one) => one.test(id) || one.test(section)));
}

function asExpression(pattern: string): RegExp {
  const text = pattern
    .trim()
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${text}$`);
}
