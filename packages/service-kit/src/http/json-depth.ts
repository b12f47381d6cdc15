const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * True when JSON nests deeper than `depthMax`. Looked at before parsing: deep input is cheap to send, and whatever walks
 * it recursively later (a schema, the database driver) would overflow its stack.
 */
export function nestsDeeperThan(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inText && byte === BACKSLASH) index += 1;
    else if (byte === QUOTE) inText = !inText;
    else if (!inText && OPENING.has(byte)) depth += 1;
    else if (!inText && CLOSING.has(byte)) depth -= 1;
    if (depth > depthMax) return true;
  }
  return false;
}
