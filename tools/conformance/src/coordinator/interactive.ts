import { randomUUID } from 'node:crypto';
import { aUuid, expectAnswer } from '../checking/expect.js';
import type { Answer } from '../checking/answer.js';
import { type JsonObject, textAt } from '../checking/json.js';
import type { Exchange } from '../mutation/mutation.js';
import type { CoordinatorBench } from './coordinator-bench.js';
import { PROJECT, USER } from './endpoint-item.js';
import type { FakeWorker } from './fake-worker.js';

export const AUTH = 'GET /v2/proxy/auth';
const JSON_WANTED = { accept: 'application/json' };

interface Session {
  readonly token: string;
  readonly session_id: string;
}

export function configuration(sessionId: string): JsonObject {
  return {
    login_session_token: null,
    kernel_host: '127.0.0.1',
    kernel_port: 30_011,
    session: {
      id: sessionId,
      user_uuid: USER,
      group_id: PROJECT,
      access_key: 'AKTEST',
      domain_name: 'default',
    },
  };
}

export async function configure(bench: CoordinatorBench): Promise<Session> {
  const session_id = randomUUID();
  const answer = await bench.call('POST', '/v2/conf', configuration(session_id));
  expectAnswer(answer, 200, { token: aUuid });
  return { token: textAt(answer.json, 'token'), session_id };
}

/** A worker for interactive apps that nobody else competes with, as far as this kit is concerned. */
export async function interactiveWorker(
  bench: CoordinatorBench,
  fields: JsonObject = {},
): Promise<FakeWorker> {
  const worker = await bench.worker('wildcard', { accepted_traffics: ['interactive'], ...fields });
  worker.mayHaveCircuits = true;
  return worker;
}

export async function tcpWorker(bench: CoordinatorBench): Promise<FakeWorker> {
  const worker = await bench.worker('interactive-port', { protocol: 'tcp' });
  worker.mayHaveCircuits = true;
  return worker;
}

export function openApp(
  bench: CoordinatorBench,
  session: Session,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = JSON_WANTED,
): Promise<Answer> {
  const parameters = new URLSearchParams({ ...session, protocol: 'http', ...query });
  return bench.anonymous('GET', `/v2/proxy/auth?${parameters.toString()}`, { headers });
}

const ofApp =
  (app: string) =>
  (exchange: Exchange): boolean =>
    exchange.query.get('app') === app;

/** A change of the answers about one app. */
export const onApp =
  (app: string, change: (exchange: Exchange) => void) =>
  (exchange: Exchange): void => {
    if (ofApp(app)(exchange)) change(exchange);
  };
