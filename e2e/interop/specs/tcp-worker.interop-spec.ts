import { connect, createServer, type AddressInfo, type Server } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { CoordinatorClient } from '../support/coordinator-client.ts';
import { announceSession, openApp, setUp } from '../support/interactive.ts';
import { expectToLeave } from '../support/life-suite.ts';
import { LOOPBACK } from '../support/secrets.ts';
import { site } from '../support/site.ts';

const ANSWER_TIMEOUT_MS = 5_000;

describe('a real TCP worker at our coordinator', () => {
  let coordinator: CoordinatorClient;
  let app: Server;

  beforeAll(async () => {
    coordinator = new CoordinatorClient(site().ports);
    app = await startEcho();
  });
  afterAll(() => {
    app.close();
  });

  it('is registered for interactive apps', async () => {
    const worker = await coordinator.worker('port-tcp');
    const expected = { frontend_mode: 'port', protocol: 'tcp', accepted_traffics: ['interactive'] };
    expect(worker).toMatchObject({ ...expected, available_slots: 4, nodes: 1 });
  });

  it.each(['tcp', 'vnc', 'rdp'])('carries bytes both ways for an app that speaks %s', async (protocol) => {
    const { port } = app.address() as AddressInfo;
    const session = await announceSession(coordinator, { host: LOOPBACK, port });
    const { redirect_url } = await openApp(coordinator, session, { app: `shell-${protocol}`, protocol });
    const { answer } = await setUp(redirect_url);
    const gateway = gatewayOf((answer.json as { redirectURI: string }).redirectURI);
    await eventually(async () => expect(await exchange(gateway, 'hello')).toBe('hello'));
    const worker = await coordinator.worker('port-tcp');
    expect(worker?.occupied_slots).toBeGreaterThan(0);
  });

  it('leaves when it is stopped', () => expectToLeave(coordinator, site().ports.tcp), 45_000);
});

/** The address in `…?gateway=tcp://host:port&…`. */
function gatewayOf(redirectUri: string): URL {
  return new URL(new URL(redirectUri).searchParams.get('gateway') ?? '');
}

function startEcho(): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => socket.destroy()).pipe(socket));
  return new Promise((resolve) => {
    server.listen(0, LOOPBACK, () => resolve(server));
  });
}

/** What comes back for a line of text. */
function exchange({ hostname, port }: URL, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text));
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(bytes.toString());
    });
    socket.once('error', reject);
    socket.once('end', () => reject(new Error('closed without an answer')));
  });
}
