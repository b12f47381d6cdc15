import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL_BYTES_MIN = 16 * 1024;
const LINE_BYTES_TYPICAL = 512;

/**
 * The last lines of a log file; empty when there is no such file. Reads the end only, however large the file is.
 * @param from where the part of interest starts, in bytes: what earlier runs wrote is left out
 */
export function logTail(file: string, lineCount = 15, from = 0): string {
  try {
    const bytesMax = Math.max(TAIL_BYTES_MIN, lineCount * LINE_BYTES_TYPICAL);
    return lastLines(readEnd(file, bytesMax, from), lineCount);
  } catch {
    return '';
  }
}

function readEnd(file: string, bytesMax: number, from: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    // A file that was emptied meanwhile is of interest from its start.
    const bytes = Buffer.alloc(Math.min(from <= size ? size - from : size, bytesMax));
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}

function lastLines(text: string, lineCount: number): string {
  return text.trimEnd().split('\n').slice(-lineCount).join('\n');
}
