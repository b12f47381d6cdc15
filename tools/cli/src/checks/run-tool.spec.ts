import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@penstock/backing-services';
import { runTool } from './run-tool.js';

/** Writes down when it runs, and when it was asked to end and has cleaned up. */
const TIDY_TOOL = `
  const { writeFileSync } = require('node:fs');
  const [file] = process.argv.slice(1);
  process.once('SIGTERM', () => setImmediate(() => {
    writeFileSync(file, 'tidied up');
    process.exit(0);
  }));
  setInterval(() => undefined, 1_000);
  writeFileSync(file, 'runs');
`;

describe('runTool', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'penstock-run-tool-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** Otherwise whatever the tests started would stay, and so would their folders. */
  it('lets a tool tidy up when the run is interrupted, and goes on with nothing else', async () => {
    const file = join(dir, 'state');
    const run = runTool(process.execPath, ['-e', TIDY_TOOL, file], { live: true });
    const outcome = expect(run).rejects.toThrow('Interrupted');
    expect(await waitUntil(() => Promise.resolve(existsSync(file)), 20_000)).toBe(true);
    process.emit('SIGTERM');
    await outcome;
    expect(readFileSync(file, 'utf8')).toBe('tidied up');
    expect(process.listenerCount('SIGTERM')).toBe(0);
  });

  it('gives the output and the exit code of a tool', async () => {
    const run = await runTool(process.execPath, ['-e', 'console.log("said"); process.exit(3)'], {
      live: false,
    });
    expect(run).toMatchObject({ code: 3, output: 'said\n' });
  });
});
