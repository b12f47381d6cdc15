import { inflateRawSync } from 'node:zlib';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;

/** Reads one file out of a zip archive. @throws when the archive has no such file or is damaged. */
export function readZipMember(archive: Buffer, name: string): Buffer {
  let at = archive.readUInt32LE(endOfDirectory(archive) + 16);
  while (archive.readUInt32LE(at) === ENTRY_SIGNATURE) {
    const nameLength = archive.readUInt16LE(at + 28);
    const entryName = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (entryName === name) return contentOf(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`The archive has no ${name}.`);
}

function endOfDirectory(archive: Buffer): number {
  for (let at = archive.length - 22; at >= 0; at -= 1) {
    if (archive.readUInt32LE(at) === END_SIGNATURE) return at;
  }
  throw new Error('This is not a zip archive.');
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const bytes = archive.subarray(start, start + size);
  if (method === STORED) return bytes;
  if (method === DEFLATED) return inflateRawSync(bytes);
  throw new Error(`The archive uses compression method ${method}, which is not supported.`);
}
