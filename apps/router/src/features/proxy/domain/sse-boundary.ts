const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;

/**
 * End of the last whole event in `chunk`, 0 when there is none. A blank line ends an event; it may be written with
 * `\n`, `\r\n` or `\r`. `tail` is what came before the chunk, up to three bytes, as the blank line may be cut in two.
 */
export function findBoundary(tail: Buffer, chunk: Buffer): number {
  const { length } = chunk;
  // What the common chunk ends with.
  if (isLineEnd(chunk[length - 1]) && endsBlankLine(tail, chunk, length)) return length;
  let lf = chunk.lastIndexOf(LF);
  let cr = chunk.lastIndexOf(CR);
  while (lf !== -1 || cr !== -1) {
    const feed = Math.max(lf, cr);
    if (endsBlankLine(tail, chunk, feed + 1)) return feed + 1;
    if (feed === lf) lf = lastBefore(chunk, LF, feed);
    else cr = lastBefore(chunk, CR, feed);
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
  const feeds = new LineEnds(events);
  for (let feed = feeds.next(); feed !== -1; feed = feeds.next()) {
    if (endsBlankLine(none, events, feed + 1)) ends.push(feed + 1);
  }
  if (ends.at(-1) !== events.length) ends.push(events.length);
  return ends;
}

/** True when there is nothing but comments and blank lines, as keep-alives are. */
export function onlyComments(events: Buffer): boolean {
  const feeds = new LineEnds(events);
  let start = 0;
  while (start < events.length) {
    const first = events[start];
    if (first !== COLON && !isLineEnd(first)) return false;
    const end = feeds.next();
    if (end === -1) return true;
    start = end + 1;
  }
  return true;
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

/** Offset of the last such byte before `at`, -1 when there is none. A negative offset would count from the end. */
function lastBefore(bytes: Buffer, byte: number, at: number): number {
  return at === 0 ? -1 : bytes.lastIndexOf(byte, at - 1);
}

/** The `\n` and `\r` of a text from first to last. Each kind is searched only from where it was found before. */
class LineEnds {
  private lf: number;
  private cr: number;

  constructor(private readonly bytes: Buffer) {
    this.lf = bytes.indexOf(LF);
    this.cr = bytes.indexOf(CR);
  }

  /** @returns the offset of the next one, -1 after the last */
  next(): number {
    const { bytes, lf, cr } = this;
    if (lf !== -1 && (cr === -1 || lf < cr)) {
      this.lf = bytes.indexOf(LF, lf + 1);
      return lf;
    }
    if (cr !== -1) this.cr = bytes.indexOf(CR, cr + 1);
    return cr;
  }
}
