import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashKey } from '@penstock/protocol';
import { hostCall, type HostAnswer } from '../../src/testing/host-client.js';
import { ScriptedUpstream } from '../../src/testing/scripted-upstream.js';
import { RunningWorker } from '../support/running-worker.js';
import { loadVectors, numbered, vectorCircuit } from '../support/vectors.js';

/** Requests that are still let in are those the bucket gained while it was emptied. */
async function refused(send: () => Promise<HostAnswer>): Promise<HostAnswer> {
  for (let n = 0; n < 20; n += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, send));
    const found = answers.find(({ status }) => status !== 200);
    if (found !== undefined) return found;
  }
  return send();
}

interface Decision {
  readonly name: string;
  readonly clock?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly peer: string;
  readonly model: string;
  readonly previous_requests_in_window?: number;
  readonly status: number;
  readonly code?: string;
}

interface RouterConfigVectors {
  readonly exchanges: readonly { readonly name: string; readonly response: Snapshot }[];
  readonly lenient_inputs: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly canonical: Snapshot;
  }[];
  readonly visibility: readonly { readonly key_id: string; readonly v1_models: readonly string[] }[];
}

interface Snapshot {
  readonly models: readonly { readonly model: string; readonly aliases: readonly string[] }[];
  readonly api_keys: readonly {
    readonly key_id: string;
    readonly token_hash: string;
    readonly allowed_models: readonly string[];
  }[];
}

const keys = loadVectors<{
  readonly clock: string;
  readonly decisions: readonly Decision[];
  readonly hashing: readonly { readonly plaintext: string; readonly sha256_hex: string }[];
}>('keys');
const config = loadVectors<RouterConfigVectors>('router-config');
const FIRST_PULL = config.exchanges.find(({ name }) => name === 'first-pull')?.response;

/** The snapshot as it looks now when the vectors' clock stands at `clock`. */
function asOf(clock: string | undefined): unknown {
  const shift = Date.now() - Date.parse(clock ?? keys.clock);
  const shifted = (time: unknown) => new Date(Date.parse(String(time)) + shift).toISOString();
  return JSON.parse(JSON.stringify(FIRST_PULL), (name, value: unknown) =>
    name === 'expires_at' && value !== null ? shifted(value) : value,
  );
}

describe('keys at a running router', () => {
  let upstream: ScriptedUpstream;
  const running: RunningWorker[] = [];

  beforeAll(async () => {
    upstream = await new ScriptedUpstream().listen();
  });

  afterAll(async () => {
    await Promise.all(running.map((worker) => worker.stop()));
    await upstream.close();
  });

  /** A router that has pulled this configuration, with a replica behind each endpoint of it. */
  async function routerWith(spelled: unknown): Promise<RunningWorker> {
    const ids = JSON.stringify(spelled).match(/a3c1e5d7-2b4f-4a2b-8c3d-\w{12}/g) ?? [];
    const worker = await RunningWorker.start('router', { trusted_proxies: ['127.0.0.1'] }, (coordinator) => {
      coordinator.spelled = spelled;
      for (const [index, endpoint_id] of [...new Set(ids)].entries()) {
        const { id } = numbered(index);
        const circuit = vectorCircuit(upstream.port, {
          id,
          endpoint_id,
          subdomain: null,
          frontend_mode: 'router',
        });
        coordinator.circuits.set(id, circuit);
      }
    });
    running.push(worker);
    return worker;
  }

  it.each(keys.decisions)('decides as agreed: $name', async (decision) => {
    const worker = await routerWith(asOf(decision.clock));
    const headers = { 'x-forwarded-for': decision.peer, ...decision.headers };
    const send = () =>
      hostCall(worker.port, {
        path: '/v1/chat/completions',
        headers,
        body: JSON.stringify({ model: decision.model, messages: [] }),
      });
    for (let sent = 0; sent < (decision.previous_requests_in_window ?? 0); sent += 50) {
      await Promise.all(Array.from({ length: 50 }, send));
    }
    const answer = decision.code === 'rate_limit_exceeded' ? await refused(send) : await send();
    expect({ status: answer.status, code: answer.code }).toEqual({
      status: decision.status,
      code: decision.code,
    });
  });

  it.each(config.lenient_inputs)('pulls a configuration spelled as $name', async ({ input, canonical }) => {
    const worker = await routerWith(input);
    const { revision, models } = await worker.router.status();
    expect(revision).toBe((canonical as unknown as { readonly revision: string }).revision);
    const names = canonical.models.flatMap(({ model, aliases }) => [model, ...aliases]);
    expect(models.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  });

  it.each(config.visibility)('lists for $key_id what it may call', async ({ key_id, v1_models }) => {
    const worker = await routerWith(asOf(undefined));
    const hash = FIRST_PULL?.api_keys.find((key) => key.key_id === key_id)?.token_hash;
    const plaintext = keys.hashing.find(({ sha256_hex }) => sha256_hex === hash)?.plaintext ?? '';
    expect(hashKey(plaintext)).toBe(hash);
    const headers = { authorization: `Bearer ${plaintext}`, 'x-forwarded-for': '10.1.2.3' };
    const answer = await hostCall(worker.port, { headers });
    const { data } = JSON.parse(answer.text) as { readonly data: readonly { readonly id: string }[] };
    expect(data.map(({ id }) => id).toSorted()).toEqual(v1_models.toSorted());
  });
});
