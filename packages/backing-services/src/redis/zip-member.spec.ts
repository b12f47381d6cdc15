import { describe, expect, it } from '@jest/globals';
import { deflateRawSync } from 'node:zlib';
import { readZipMember } from './zip-member.js';

describe('readZipMember', () => {
  it('reads a stored and a compressed file', () => {
    const archive = zip([
      { name: 'a.txt', content: 'plain', compressed: false },
      { name: 'dir/b.txt', content: 'packed '.repeat(50), compressed: true },
    ]);
    expect(readZipMember(archive, 'a.txt').toString()).toBe('plain');
    expect(readZipMember(archive, 'dir/b.txt').toString()).toBe('packed '.repeat(50));
  });

  it('names a file that is not there', () => {
    const archive = zip([{ name: 'a.txt', content: 'x', compressed: false }]);
    expect(() => readZipMember(archive, 'b.txt')).toThrow('The archive has no b.txt.');
  });

  it('refuses bytes that are no archive', () => {
    expect(() => readZipMember(Buffer.alloc(64), 'a')).toThrow('This is not a zip archive.');
  });
});

interface Entry {
  name: string;
  content: string;
  compressed: boolean;
}

function zip(entries: Entry[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, compressed } of entries) {
    const data = compressed ? deflateRawSync(content) : Buffer.from(content);
    const local = Buffer.alloc(30);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(compressed ? 8 : 0, 10);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    bodies.push(local, Buffer.from(name), data);
    directory.push(central, Buffer.from(name));
    offset += 30 + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}
