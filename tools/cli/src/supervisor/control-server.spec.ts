import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendControl } from './control-client.js';
import { type ControlHandler, listenForControl } from './control-server.js';

describe('control socket', () => {
  let dir: string;
  let socket: string;
  let server: Server | null;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'control-'));
    socket = join(dir, 'control.sock');
    server = null;
  });
  afterEach(() => {
    server?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function serve(handler: ControlHandler): Promise<void> {
    server = await listenForControl(socket, handler);
  }

  it('passes progress on and ends with the result', async () => {
    await serve((request, progress) => {
      progress(`doing ${request.command}`);
      return Promise.resolve();
    });
    const lines: string[] = [];
    await sendControl(socket, { command: 'stop' }, (line) => lines.push(line));
    expect(lines).toEqual(['doing stop']);
  });

  it('fails with the words of the supervisor', async () => {
    await serve(() => Promise.reject(new Error('There is no service "x".')));
    const request = { command: 'service', action: 'stop', name: 'x' } as const;
    await expect(sendControl(socket, request, () => undefined)).rejects.toThrow('There is no service "x".');
  });

  it('belongs to its user alone', async () => {
    await serve(() => Promise.resolve());
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  it('says when nobody listens', async () => {
    await expect(sendControl(socket, { command: 'stop' }, () => undefined)).rejects.toThrow(
      /does not answer/,
    );
  });
});
