import { randomUUID } from 'node:crypto';

import { call, type Answer } from '../../support/http.ts';
import type { CoordinatorClient, Target } from './coordinator-client.ts';

export interface AppSession {
  readonly sessionId: string;
  /** What `/v2/conf` gave for the session. */
  readonly token: string;
}

/** Announces a session whose apps listen on the target, the way a manager does: without the secret. */
export async function announceSession(
  coordinator: CoordinatorClient,
  { host, port }: Target,
): Promise<AppSession> {
  const sessionId = randomUUID();
  const owner = {
    user_uuid: randomUUID(),
    group_id: randomUUID(),
    access_key: 'AKINTEROP',
    domain_name: 'default',
  };
  const body = {
    login_session_token: null,
    kernel_host: host,
    kernel_port: port,
    session: { id: sessionId, ...owner },
  };
  const answer = await coordinator.raw<{ token: string }>('/v2/conf', {
    body,
    headers: { 'x-backendai-token': '' },
  });
  if (answer.status !== 200) throw new Error(`/v2/conf answered ${answer.status}: ${answer.text}`);
  return { sessionId, token: answer.json.token };
}

export interface AppStart {
  readonly redirect_url: string;
  readonly reuse: boolean;
}

/** Asks for an app of the session. @returns where the browser goes next */
export async function openApp(
  coordinator: CoordinatorClient,
  { sessionId, token }: AppSession,
  app: { readonly app: string; readonly protocol: string },
): Promise<AppStart> {
  const query = new URLSearchParams({ token, session_id: sessionId, ...app });
  const answer = await coordinator.raw<AppStart>(`/v2/proxy/auth?${query.toString()}`, {
    headers: { accept: 'application/json', 'x-backendai-token': '' },
  });
  if (answer.status !== 200) throw new Error(`/v2/proxy/auth answered ${answer.status}: ${answer.text}`);
  return answer.json;
}

/** Follows the first step of a browser and keeps the cookie. */
export async function setUp(redirectUrl: string): Promise<{ answer: Answer; cookie: string }> {
  const answer = await call(redirectUrl);
  const header = answer.headers['set-cookie'];
  const [cookie = ''] = String(Array.isArray(header) ? header[0] : header).split(';');
  return { answer, cookie };
}
