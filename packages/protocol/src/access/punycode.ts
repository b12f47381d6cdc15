const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 0x80;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Punycode of a text of any characters, RFC 3492 section 6.3. `node:url` has it only behind the rules for host names,
 * which refuse or rewrite texts that a peer encodes as they are.
 */
export function encodePunycode(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < INITIAL_N);
  let output = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '');
  let delta = 0;
  let bias = INITIAL_BIAS;
  let handled = basic.length;
  let n = INITIAL_N;
  while (handled < points.length) {
    const next = smallestFrom(points, n);
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output += encodeDelta(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output;
}

function smallestFrom(points: readonly number[], least: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  for (const point of points) if (point >= least && point < smallest) smallest = point;
  return smallest;
}

/** One delta as a variable-length integer. */
function encodeDelta(delta: number, bias: number): string {
  let digits = '';
  let rest = delta;
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (rest < threshold) return digits + DIGITS.charAt(rest);
    digits += DIGITS.charAt(threshold + ((rest - threshold) % (BASE - threshold)));
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

function adapt(delta: number, points: number, first: boolean): number {
  let rest = Math.floor(first ? delta / DAMP : delta / 2);
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
