import { Buffer } from 'node:buffer';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** MessagePack of an array of strings, byte-identical to what Python's `packb` makes of a tuple of str. */
export function packStrings(values: readonly string[]): Buffer {
  const parts: Buffer[] = [header(values.length, 15, 0x90, [0xdc, 2], [0xdd, 4])];
  for (const value of values) {
    const bytes = Buffer.from(value, 'utf8');
    parts.push(stringHeader(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

/** The inverse. @throws RangeError on anything but exactly one array of UTF-8 strings. */
export function unpackStrings(bytes: Uint8Array): string[] {
  const reader = new Reader(bytes);
  const values: string[] = [];
  for (let left = reader.arrayLength(); left > 0; left -= 1) values.push(reader.string());
  reader.end();
  return values;
}

type Sized = readonly [tag: number, lengthBytes: 1 | 2 | 4];

function header(length: number, fixMax: number, fixTag: number, ...sized: readonly Sized[]): Buffer {
  if (length <= fixMax) return Buffer.of(fixTag | length);
  const fits = sized.find(([, size]) => length < 2 ** (8 * size));
  if (fits === undefined) throw new RangeError('too long for msgpack');
  const [tag, size] = fits;
  const bytes = Buffer.alloc(1 + size, tag);
  bytes.writeUIntBE(length, 1, size);
  return bytes;
}

function stringHeader(length: number): Buffer {
  return header(length, 31, 0xa0, [0xd9, 1], [0xda, 2], [0xdb, 4]);
}

class Reader {
  private offset = 0;
  private readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Every element takes at least one byte, so a length beyond the input is a lie and never allocated for. */
  arrayLength(): number {
    const tag = this.uint(1);
    const length = tag >> 4 === 0x9 ? tag & 0x0f : this.sized(tag, { 0xdc: 2, 0xdd: 4 });
    if (length > this.bytes.length - this.offset) throw new RangeError('array longer than its message');
    return length;
  }

  string(): string {
    const tag = this.uint(1);
    const length = tag >> 5 === 0b101 ? tag & 0x1f : this.sized(tag, { 0xd9: 1, 0xda: 2, 0xdb: 4 });
    return this.text(length);
  }

  end(): void {
    if (this.offset !== this.bytes.length) throw new RangeError('bytes after the array');
  }

  private sized(tag: number, sizes: Readonly<Record<number, number>>): number {
    const size = sizes[tag];
    if (size === undefined) throw new RangeError(`unexpected msgpack type 0x${tag.toString(16)}`);
    return this.uint(size);
  }

  private uint(size: number): number {
    this.need(size);
    const value = this.bytes.readUIntBE(this.offset, size);
    this.offset += size;
    return value;
  }

  private text(length: number): string {
    this.need(length);
    const slice = this.bytes.subarray(this.offset, this.offset + length);
    this.offset += length;
    try {
      return utf8.decode(slice);
    } catch (cause) {
      throw new RangeError('string is not UTF-8', { cause });
    }
  }

  private need(length: number): void {
    if (this.offset + length > this.bytes.length) throw new RangeError('message ends early');
  }
}
