import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signHs256 } from '@penstock/protocol';
import { hostCall, type HostAnswer } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { JWT_SECRET, RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

interface WireBody {
  readonly type: string;
  readonly title: string;
  readonly error_code: string;
  readonly msg?: string;
}

interface RecordedError {
  readonly name: string;
  readonly request: { readonly path: string; readonly headers: Readonly<Record<string, string>> };
  readonly status: number;
  readonly body: WireBody | string;
}

const { errors_wildcard: recorded, trusted_proxies: trusted } = loadVectors<{
  readonly errors_wildcard: readonly RecordedError[];
  readonly trusted_proxies: readonly {
    readonly cases: readonly { readonly x_forwarded_for: string | null }[];
  }[];
}>('recorded-dataplane');
const { cases } = loadVectors<{
  readonly cases: readonly { readonly name: string; readonly status: number; readonly body: WireBody }[];
}>('errors');
const jwt = loadVectors<{
  readonly verify: readonly { readonly name: string; readonly authorization: string }[];
}>('jwt');

/** Which token of the vectors a recording was made with; `abc` is no token at all. */
const TOKENS: Readonly<Record<string, string>> = {
  'dp-bearer-lower': 'lowercase-scheme',
  'dp-wrong-secret': 'wrong-secret',
  'dp-expired': 'expired',
  'dp-hs512': 'alg-hs512',
  'dp-none': 'alg-none',
  'dp-other-circuit': 'other-circuit',
};
/** Hosts that nobody has: a 404, where the stock worker answers 400. */
const NOBODY = ['dp-unknown-sub', 'dp-unknown-domain'];
/** HTML is for pages; a data plane answers in the form of its errors. */
const AS_JSON = ['dp-no-auth-html', 'dp-no-auth-star'];

describe('errors of a running wildcard worker', () => {
  let worker: RunningWorker;
  let upstream: ScriptedUpstream;
  let dead: number;

  beforeAll(async () => {
    upstream = await new ScriptedUpstream().listen();
    const gone = await new ScriptedUpstream().listen();
    dead = gone.port;
    await gone.close();
    worker = await RunningWorker.start('wildcard', { trusted_proxies: ['127.0.0.1'] });
    const open = { open_to_public: true };
    await worker.create(
      vectorCircuit(upstream.port),
      { ...vectorCircuit(1, { ...numbered(3), subdomain: 'llama-c' }), route_info: [] },
      vectorCircuit(dead, { ...numbered(4), ...open }),
      vectorCircuit(upstream.port, { ...numbered(5), ...open, allowed_client_ips: '10.0.0.0/8' }),
      vectorCircuit(upstream.port, { ...numbered(6), ...open }),
    );
  });

  afterAll(async () => {
    await worker.stop();
    await upstream.close();
  });

  function headersOf({ name, request }: RecordedError): Record<string, string> {
    const vector = jwt.verify.find((one) => one.name === TOKENS[name])?.authorization;
    const own = `Bearer ${signHs256({ id: numbered(3).id }, JWT_SECRET)}`;
    const authorization = vector ?? (name === 'dp-no-routes' ? own : request.headers['Authorization']);
    const { Host: _host, Authorization: _given, ...others } = request.headers;
    return { ...others, ...(authorization !== undefined && { authorization }) };
  }

  const wire = (answer: HostAnswer) => JSON.parse(answer.text) as WireBody;

  it.each(recorded.filter(({ name }) => name.startsWith('dp-') && name !== 'dp-apex'))(
    '$name: outside the model API in the recorded form, inside it with the code of it',
    async (exchange) => {
      const { name, request } = exchange;
      const host = request.headers['Host'] ?? '';
      const call = (path: string) => hostCall(worker.port, { host, path, headers: headersOf(exchange) });
      const answer = await call('/x');
      const api = await call('/v1/models');
      const status = NOBODY.includes(name) ? 404 : exchange.status;
      expect([answer.status, api.status]).toEqual([status, status]);
      const errors = answer.headers['content-type'];
      expect(errors).toBe('application/json; charset=utf-8');
      if (NOBODY.includes(name)) {
        expect(wire(answer).error_code).toBe('agent_read_not-found');
        expect(api.code).toBe('endpoint_not_found');
        return;
      }
      const expected = AS_JSON.includes(name) ? bodyOf('data-plane-no-auth-header') : exchange.body;
      expect(withoutLibraryText(wire(answer))).toEqual(withoutLibraryText(expected as WireBody));
      const code = /^E\d{5}/.exec((expected as WireBody).msg ?? '')?.[0] ?? 'model_unavailable';
      expect(api.code).toBe(code);
    },
  );

  it('dp-apex: is the host of all models here, and lists nothing to who may use nothing', async () => {
    const answer = await hostCall(worker.port, { host: 'models.example.com' });
    expect({ status: answer.status, data: JSON.parse(answer.text) as unknown }).toEqual({
      status: 200,
      data: { object: 'list', data: [] },
    });
  });

  const provoke: Readonly<Record<string, () => Promise<HostAnswer>>> = {
    'data-plane-no-auth-header': () => worker.call('llama-a', { path: '/x' }),
    'data-plane-token-mismatch': () => withToken('other-circuit'),
    'data-plane-ip': () => worker.call('c5', { path: '/x' }),
    'data-plane-kernel-refused': () => worker.call('c4', { path: '/x' }),
    'data-plane-unsupported-scheme': () => withToken('lowercase-scheme'),
    'data-plane-bad-token': () => withToken('expired'),
  };

  const withToken = (name: string) => {
    const authorization = jwt.verify.find((one) => one.name === name)?.authorization;
    return worker.call('llama-a', { path: '/x', headers: { authorization } });
  };

  it.each(Object.keys(provoke))('answers as agreed: %s', async (name) => {
    const answer = await provoke[name]?.();
    const expected = cases.find((one) => one.name === name);
    expect(answer?.status).toBe(expected?.status);
    expect(withoutLibraryText(JSON.parse(answer?.text ?? '{}') as WireBody)).toEqual(
      withoutLibraryText(bodyOf(name)),
    );
  });

  it('answers 502 where 26.9.6 has data-plane-replica-disconnected', async () => {
    upstream.script = (_seen, response) => void response.socket?.destroy();
    const answer = await worker.call('c6', { path: '/x' });
    expect({ status: answer.status, body: wire(answer) }).toMatchObject({
      status: 502,
      body: { title: bodyOf('data-plane-kernel-refused').title },
    });
  });

  it('answers 404 where 26.9.6 has data-plane-unknown-subdomain', async () => {
    const answer = await worker.call('nope', { path: '/x' });
    expect({ status: answer.status, code: wire(answer).error_code }).toEqual({
      status: 404,
      code: 'agent_read_not-found',
    });
  });

  /** The rightmost address that is no trusted proxy is the caller; 26.9.6 demands exactly one. */
  const CALLERS: Readonly<Record<string, number>> = {
    null: 403,
    '10.1.2.3': 200,
    '9.1.2.3': 403,
    '10.1.2.3, 127.0.0.1': 200,
    '10.1.2.3, 9.9.9.9': 403,
    '10.1.2.3:4711': 200,
    nonsense: 403,
  };

  it.each(trusted.flatMap((entry) => entry.cases))(
    'trusted-proxy-without-single-address: takes $x_forwarded_for for the right caller',
    async ({ x_forwarded_for: forwarded }) => {
      upstream.script = (_seen, response) => void response.end('{}');
      const headers = forwarded === null ? {} : { 'x-forwarded-for': forwarded };
      const answer = await worker.call('c5', { path: '/x', headers });
      expect({ forwarded, status: answer.status }).toEqual({ forwarded, status: CALLERS[String(forwarded)] });
    },
  );
});

function bodyOf(name: string): WireBody {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no error ${name}`);
  return found.body;
}

/** The text in brackets comes from the JWT library. */
function withoutLibraryText(body: WireBody): WireBody {
  return body.msg === undefined ? body : { ...body, msg: body.msg.replace(/ \(.*\)$/, '') };
}
