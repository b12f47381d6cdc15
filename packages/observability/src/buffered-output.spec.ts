import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BufferedOutput } from './buffered-output.js';

let directory: string;
let file: string;
let descriptor: number;
let output: BufferedOutput;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'buffered-output-'));
  file = join(directory, 'log');
  descriptor = openSync(file, 'a');
  output = new BufferedOutput(descriptor);
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(directory, { recursive: true, force: true });
});

const flushed = (): Promise<void> => new Promise((resolve) => output.flush(resolve));

describe('BufferedOutput', () => {
  it('writes every line whole and in order, also those with characters of several bytes', async () => {
    const lines = Array.from(
      { length: 5_000 },
      (_, index) => `${index} 수문 🚰 ${'x'.repeat(index % 300)}\n`,
    );
    for (const line of lines) output.write(line);
    await flushed();
    expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
  });

  it('takes lines longer than its buffer', async () => {
    const long = `${'é'.repeat(200_000)}\n`;
    output.write('before\n');
    output.write(long);
    output.write('after\n');
    await flushed();
    expect(readFileSync(file, 'utf8')).toBe(`before\n${long}after\n`);
  });

  it('writes by itself after a moment', async () => {
    output.write('soon\n');
    while (readFileSync(file, 'utf8') === '') await new Promise((resolve) => setImmediate(resolve));
    expect(readFileSync(file, 'utf8')).toBe('soon\n');
  });

  it('writes the rest at once when the process ends', () => {
    output.write('last words\n');
    output.flushSync();
    expect(readFileSync(file, 'utf8')).toBe('last words\n');
  });

  it('drops lines instead of growing when nothing gets out, and says how many', async () => {
    const line = `${'x'.repeat(9_999)}\n`;
    for (let count = 0; count < 2_000; count += 1) output.write(line);
    await flushed();
    output.write('after\n');
    await flushed();
    const written = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    const kept = written.filter((text) => text.startsWith('x')).length;
    const report = JSON.parse(written.find((text) => text.startsWith('{')) ?? '{}') as { dropped?: number };
    expect(report.dropped).toBeGreaterThan(0);
    expect(kept + (report.dropped ?? 0)).toBe(2_000);
    expect(written.at(-1)).toBe('after');
  });
});
