import { createHash, randomBytes } from 'node:crypto';

export const TEXT = 1;
export const CLOSE = 8;

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Value of Sec-WebSocket-Accept for a key (RFC 6455, section 1.3). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** A frame of at most 125 bytes, masked as clients must. */
export function writeFrame(opcode: number, payload: Buffer, masked: boolean): Buffer {
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = masked ? applyMask(payload, mask) : payload;
  return Buffer.concat([Buffer.from([0x80 | opcode, (masked ? 0x80 : 0) | payload.length]), mask, body]);
}

/** Payload of a close frame. */
export function closePayload(code: number, reason: string): Buffer {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(code);
  return Buffer.concat([head, Buffer.from(reason)]);
}

/** Cuts a stream of bytes into frames; larger frames than 125 bytes are not expected. */
export class FrameReader {
  private pending: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Frame[] {
    this.pending = Buffer.concat([this.pending, chunk]);
    const frames: Frame[] = [];
    for (let frame = this.next(); frame; frame = this.next()) frames.push(frame);
    return frames;
  }

  private next(): Frame | undefined {
    const [first, second] = this.pending;
    if (first === undefined || second === undefined) return undefined;
    const length = second & 0x7f;
    const start = second & 0x80 ? 6 : 2;
    if (this.pending.length < start + length) return undefined;
    const raw = this.pending.subarray(start, start + length);
    const payload = start === 6 ? applyMask(raw, this.pending.subarray(2, 6)) : Buffer.from(raw);
    this.pending = this.pending.subarray(start + length);
    return { opcode: first & 0x0f, payload };
  }
}

function applyMask(bytes: Buffer, mask: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
}
