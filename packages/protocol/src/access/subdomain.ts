import { encodePunycode } from './punycode.js';

const LABEL_MAX = 63;
/** Hyphen and eight hex digits. */
const SUFFIX_LENGTH = 9;
const FALLBACK = 'app';
const ATTEMPTS_MAX = 64;

/**
 * The DNS label a circuit gets on its worker, exactly as the peers form it.
 * @param preferred - first label of an existing URL, or the name of the service
 * @param taken - whether another circuit of the worker has the label
 * @param randomHex - eight or more random hex digits, new with each call
 * @throws Error when not one of many random labels is free, which no honest `taken` answers
 */
export function subdomainFor(
  preferred: string | null,
  taken: (label: string) => boolean,
  randomHex: () => string,
): string {
  const wanted = normalise(preferred ?? '');
  if (wanted !== '' && !taken(wanted)) return wanted;
  const prefix = trimHyphens(wanted.slice(0, LABEL_MAX - SUFFIX_LENGTH)) || FALLBACK;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const label = `${prefix}-${randomHex().slice(0, SUFFIX_LENGTH - 1)}`;
    if (!taken(label)) return label;
  }
  throw new Error(`no free label after ${ATTEMPTS_MAX} attempts`);
}

/** One label out of any text; empty when nothing usable is left. */
function normalise(text: string): string {
  const plain = text
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9\u0080-\u{10ffff}-]/gu, '-');
  const isAscii = !/[^\0-\x7f]/.test(plain);
  const label = isAscii ? plain.replaceAll(/-{2,}/g, '-') : `xn--${encodePunycode(plain)}`;
  return trimHyphens(label.slice(0, LABEL_MAX));
}

function trimHyphens(text: string): string {
  return text.replaceAll(/^-+|-+$/g, '');
}
