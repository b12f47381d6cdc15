import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { API_SECRET, type Call } from '../support/coordinator-instance.js';
import { recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { comparable } from '../support/recorded.js';
import { stockBodies } from '../support/stock-bodies.js';
import { loadVectors, withPlaceholders } from '../support/vectors.js';

interface ErrorCase {
  readonly name: string;
  readonly status?: number;
  readonly our_status?: number;
  readonly body: unknown;
}

const { cases } = loadVectors<{ readonly cases: readonly ErrorCase[] }>('errors.json');
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const SESSION = 'd1e2f3a4-5b6c-4d7e-8f90-000000000061';
const { port_range: _range, ...withoutRange } = stockBodies('errors').port;

function bodyOf(name: string): object {
  return recordedCall('endpoints', name).request.body as object;
}

/** A session that was announced to `/v2/conf`. */
const session = recordedCall('interactive', 'conf').request.body as { session: object };

describe('errors of a running coordinator', () => {
  let fleet: RecordedFleet;
  let token: string;

  beforeAll(async () => {
    fleet = await RecordedFleet.start({ ack_timeout_ms: 300 });
    await fleet.join('port', { accepted_traffics: ['inference'] });
    const worker = await fleet.join('wildcard', { accepted_traffics: ['inference'] });
    await fleet.coordinator.call('POST', '/v2/endpoints/bulk', { body: bodyOf('bulk-existing-url-port') });
    worker.acknowledge = () => null;
    const { body } = await fleet.coordinator.call('POST', '/v2/conf', { body: session });
    token = (body as unknown as { readonly token: string }).token;
  });

  afterAll(() => fleet.stop());

  const app = (id: string, sessionId: string) =>
    `/v2/proxy/auth?token=${id}&session_id=${sessionId}&app=a&protocol=tcp`;
  const provoke: Readonly<Record<string, () => readonly [string, string, Call?]>> = {
    'method-not-allowed': () => ['POST', '/api/worker', { body: {} }],
    validation: () => ['PUT', '/api/worker', { body: { ...withoutRange, authority: undefined } }],
    'port-taken': () => ['POST', '/v2/endpoints/bulk', { body: bodyOf('bulk-existing-url-port-taken') }],
    'no-worker-available': () => ['GET', app(token, SESSION), { headers: { accept: 'application/json' } }],
    'worker-not-responding': () => ['POST', '/v2/endpoints/bulk', { body: bodyOf('bulk-tag-id-differs') }],
    'token-not-found': () => ['GET', app(UNKNOWN, SESSION), { headers: {} }],
    'session-mismatch': () => ['GET', app(token, UNKNOWN), { headers: {} }],
    'missing-frontend-config': () => ['PUT', '/api/worker', { body: withoutRange }],
    'conf-without-session': () => ['POST', '/v2/conf', { body: { ...session, session: withoutIds() } }],
  };

  it.each(Object.keys(provoke))('answers as recorded: %s', async (name) => {
    const [method, path, call] = provoke[name]?.() ?? ['GET', '/'];
    const expected = cases.find((one) => one.name === name);
    const answer = await fleet.coordinator.call(method, path, call);
    expect({ name, status: answer.status }).toEqual({
      name,
      status: expected?.our_status ?? expected?.status,
    });
    const own = { 'wild-seoul-1': fleet.names['wildcard-worker'] ?? '' };
    expect(comparable(answer.body)).toEqual(comparable(withPlaceholders(expected?.body, own)));
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each([
    ['an id that is no UUID', 'GET', '/api/worker/nope', undefined],
    ['an array as body', 'PUT', '/api/worker', '[1]'],
  ])('answers 400 to %s, where 26.9.6 has malformed-id-in-path', async (_what, method, path, rawBody) => {
    const headers = { 'x-backendai-token': API_SECRET };
    const answer = await fleet.coordinator.call(method, path, { headers, ...(rawBody && { rawBody }) });
    expect(answer).toMatchObject({ status: 400, body: { error_code: 'agent_request_invalid-parameters' } });
  });
});

function withoutIds(): object {
  return { ...session.session, id: null, access_key: null };
}
