/** Rewrites the published messages in a stream from a Redis server, and passes everything else on as it came. */
export class RespMessages {
  private pending: Buffer = Buffer.alloc(0);

  /** @param rewrite - gives the text to deliver instead, or `undefined` to swallow the message */
  constructor(private readonly rewrite: (text: string) => string | undefined) {}

  /** Takes the next bytes and gives what can be passed on by now. */
  push(chunk: Buffer): Buffer {
    this.pending = Buffer.concat([this.pending, chunk]);
    const out: Buffer[] = [];
    for (;;) {
      const end = endOfValue(this.pending, 0);
      if (end === undefined) return Buffer.concat(out);
      out.push(this.passed(this.pending.subarray(0, end)));
      this.pending = this.pending.subarray(end);
    }
  }

  private passed(frame: Buffer): Buffer {
    const parts = bulkStrings(frame);
    if (parts?.length !== 3 || parts[0]?.toString() !== 'message') return frame;
    const [kind, channel, text] = parts as [Buffer, Buffer, Buffer];
    const replacement = this.rewrite(text.toString('utf8'));
    if (replacement === undefined) return Buffer.alloc(0);
    const head = Buffer.from(`${String.fromCharCode(frame[0] ?? 42)}3\r\n`);
    return Buffer.concat([head, ...[kind, channel, Buffer.from(replacement)].map(bulk)]);
  }
}

function bulk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** Where the value that starts at `start` ends; `undefined` while it is incomplete. */
function endOfValue(bytes: Buffer, start: number): number | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const kind = String.fromCharCode(bytes[start] ?? 0);
  const count = Number(bytes.toString('latin1', start + 1, lineEnd));
  if ('$=!'.includes(kind)) return endOfBulk(bytes, lineEnd + 2, count);
  if ('*>~'.includes(kind)) return endOfMany(bytes, lineEnd + 2, count);
  return kind === '%' ? endOfMany(bytes, lineEnd + 2, count * 2) : lineEnd + 2;
}

function endOfBulk(bytes: Buffer, start: number, length: number): number | undefined {
  if (length < 0) return start;
  return bytes.length >= start + length + 2 ? start + length + 2 : undefined;
}

function endOfMany(bytes: Buffer, start: number, count: number): number | undefined {
  let end: number | undefined = start;
  for (let left = count; left > 0 && end !== undefined; left -= 1) end = endOfValue(bytes, end);
  return end;
}

/** The elements of an array of bulk strings; `undefined` when the frame is anything else. */
function bulkStrings(frame: Buffer): Buffer[] | undefined {
  if (!'*>'.includes(String.fromCharCode(frame[0] ?? 0))) return undefined;
  const parts: Buffer[] = [];
  let position = frame.indexOf('\r\n') + 2;
  while (position < frame.length) {
    if (frame[position] !== 0x24) return undefined;
    const lineEnd = frame.indexOf('\r\n', position);
    const length = Number(frame.toString('latin1', position + 1, lineEnd));
    parts.push(frame.subarray(lineEnd + 2, lineEnd + 2 + length));
    position = lineEnd + 2 + length + 2;
  }
  return parts;
}
