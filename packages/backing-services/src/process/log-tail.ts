import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES_MIN = 16 * 1024;
const LINE_BYTES_TYPICAL = 512;

/** The last lines of a log file; empty when there is no such file. Reads the end only, however large the file is. */
export function logTail(file: string, lineCount = 15): string {
  try {
    return lastLines(readEnd(file, Math.max(TAIL_BYTES_MIN, lineCount * LINE_BYTES_TYPICAL)), lineCount);
  } catch {
    return '';
  }
}

function readEnd(file: string, bytesMax: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, bytesMax));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function lastLines(text: string, lineCount: number): string {
  return text.trimEnd().split('\n').slice(-lineCount).join('\n');
}
