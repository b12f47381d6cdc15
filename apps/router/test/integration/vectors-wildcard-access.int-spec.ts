import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { JWT_SECRET, RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

interface Attempt {
  readonly name: string;
  readonly method?: string;
  readonly authorization: string | null;
  readonly result: 'accept' | 'reject';
  readonly code?: string;
}

interface Peer {
  readonly allowed_client_ips: string | null;
  readonly peer: string;
  readonly allowed: boolean;
}

const jwt = loadVectors<{
  readonly jwt_secret: string;
  readonly circuit_id: string;
  readonly verify: readonly Attempt[];
  readonly open_to_public_true: Omit<Attempt, 'name'>;
}>('jwt');
const { cases } = loadVectors<{ readonly cases: readonly Peer[] }>('ip-allowlist');
/** An IPv4 caller on a dual-stack socket is the IPv4 caller it is; peers compare the mapped form and refuse it. */
const MAPPED = '::ffff:10.0.0.1';
const MODELS = '{"object":"list","data":[]}';

describe('who may call a circuit, through a running wildcard worker', () => {
  let worker: RunningWorker;
  let upstream: ScriptedUpstream;

  beforeAll(async () => {
    upstream = await new ScriptedUpstream().listen();
    upstream.script = (_seen, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(MODELS);
    };
    worker = await RunningWorker.start('wildcard', { trusted_proxies: ['127.0.0.1'] });
    await worker.create(vectorCircuit(upstream.port));
  });

  afterAll(async () => {
    await worker.stop();
    await upstream.close();
  });

  it.each([...jwt.verify, { name: 'open_to_public_true', ...jwt.open_to_public_true }])(
    '$name: $result',
    async ({ name, method = 'GET', authorization, result, code }) => {
      expect(JWT_SECRET).toBe(jwt.jwt_secret);
      const isOpen = name === 'open_to_public_true';
      if (isOpen) await worker.create(vectorCircuit(upstream.port, { ...numbered(1), open_to_public: true }));
      const headers = authorization === null ? {} : { authorization };
      for (const path of ['/v1/models', '/metrics']) {
        const answer = await worker.call(isOpen ? 'c1' : 'llama-a', { method, path, headers });
        const accepted = { status: 200, code: undefined };
        const expected = result === 'accept' ? accepted : { status: 401, code };
        expect({ path, status: answer.status, code: answer.code }).toEqual({ path, ...expected });
      }
    },
  );

  it.each(cases)(
    '$allowed_client_ips admits $peer: $allowed',
    async ({ allowed_client_ips, peer, allowed }) => {
      await worker.create(
        vectorCircuit(upstream.port, { ...numbered(2), open_to_public: true, allowed_client_ips }),
      );
      const answer = await worker.call('c2', { headers: { 'x-forwarded-for': peer } });
      const admitted = allowed || peer === MAPPED;
      expect({ status: answer.status, code: answer.code }).toEqual(
        admitted ? { status: 200, code: undefined } : { status: 403, code: 'E20011' },
      );
    },
  );
});
