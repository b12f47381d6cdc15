const LF = 0x0a;
const CR = 0x0d;

/**
 * End of the last whole event in `chunk`, 0 when there is none. A blank line ends an event; it may be written with
 * `\n`, `\r\n` or `\r`. `tail` is what came before the chunk, up to three bytes, as the blank line may be cut in two.
 */
export function findBoundary(tail: Buffer, chunk: Buffer): number {
  for (let end = chunk.length; end > 0; end -= 1) {
    const byte = chunk[end - 1];
    if (byte !== LF && byte !== CR) {
      const feed = Math.max(chunk.lastIndexOf(LF, end - 1), chunk.lastIndexOf(CR, end - 1));
      if (feed === -1) return 0;
      end = feed + 1;
    }
    if (endsBlankLine(tail, chunk, end)) return end;
  }
  return 0;
}

function endsBlankLine(tail: Buffer, chunk: Buffer, end: number): boolean {
  const last = byteAt(tail, chunk, end - 1);
  const before = byteAt(tail, chunk, end - 2);
  if (last === CR) return before === CR;
  if (before === LF) return true;
  return before === CR && byteAt(tail, chunk, end - 3) === LF;
}

function byteAt(tail: Buffer, chunk: Buffer, at: number): number | undefined {
  return at >= 0 ? chunk[at] : tail[tail.length + at];
}

/** Ends of all events in a run of whole events; the rest after the last blank line counts as one more. */
export function eventEnds(events: Buffer): number[] {
  const ends: number[] = [];
  const none = Buffer.alloc(0);
  for (let at = 0; at < events.length; at += 1) {
    const feed = nextLineEnd(events, at);
    if (feed === -1) break;
    at = feed;
    if (endsBlankLine(none, events, feed + 1)) ends.push(feed + 1);
  }
  if (ends.at(-1) !== events.length) ends.push(events.length);
  return ends;
}

function nextLineEnd(events: Buffer, from: number): number {
  const lf = events.indexOf(LF, from);
  const cr = events.indexOf(CR, from);
  if (lf === -1 || cr === -1) return Math.max(lf, cr);
  return Math.min(lf, cr);
}

/** True when there is nothing but comments and blank lines, as keep-alives are. */
export function onlyComments(events: Buffer): boolean {
  let start = 0;
  while (start < events.length) {
    const first = events[start];
    if (first !== 0x3a && first !== LF && first !== CR) return false;
    const end = nextLineEnd(events, start);
    if (end === -1) return true;
    start = end + 1;
  }
  return true;
}
