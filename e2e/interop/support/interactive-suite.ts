import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { call, type Answer } from '../../support/http.ts';
import { CoordinatorClient } from './coordinator-client.ts';
import { entranceOf } from './frontends.ts';
import type { Pair } from './inference-suite.ts';
import { announceSession, openApp, setUp, type AppSession } from './interactive.ts';
import { LOOPBACK } from './secrets.ts';

/** What a real HTTP worker needs to carry an interactive app that our coordinator hands over. */
export function describeInteractive(pair: () => Pair): void {
  let coordinator: CoordinatorClient;
  let app: Server;
  let session: AppSession;

  beforeAll(async () => {
    coordinator = new CoordinatorClient(pair().coordinator);
    app = await startApp();
    const { port } = app.address() as AddressInfo;
    session = await announceSession(coordinator, { host: LOOPBACK, port });
  });
  afterAll(() => {
    app.closeAllConnections();
    app.close();
  });

  it('hands an app over with the permit cookie, and nobody gets in without it', async () => {
    const { redirect_url, reuse } = await openApp(coordinator, session, { app: 'jupyter', protocol: 'http' });
    expect(reuse).toBe(false);
    const { answer, cookie } = await setUp(redirect_url);
    expect(answer.status).toBe(302);
    expect(cookie).toMatch(/^appproxy_permit=/);
    const target = String(answer.headers['location']);
    await eventually(async () => expect((await visit(target, cookie)).text).toBe('app at /lab'));
    expect((await visit(target)).status).toBe(401);
    expect((await visit(target, 'appproxy_permit=bm90aGluZw==')).status).toBe(401);
  });

  it('finds the app again when asked twice', async () => {
    const again = await openApp(coordinator, session, { app: 'jupyter', protocol: 'http' });
    expect(again.reuse).toBe(true);
    const { answer, cookie } = await setUp(again.redirect_url);
    expect((await visit(String(answer.headers['location']), cookie)).text).toBe('app at /lab');
  });
}

function visit(location: string, cookie = ''): Promise<Answer> {
  const { origin, host } = entranceOf(location);
  return call(`${origin}/lab`, { headers: { host, accept: 'application/json', cookie } });
}

function startApp(): Promise<Server> {
  const server = createServer((request, response) => response.end(`app at ${request.url ?? ''}`));
  return new Promise((resolve) => {
    server.listen(0, LOOPBACK, () => resolve(server));
  });
}
