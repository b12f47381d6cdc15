import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hashKey, parseIpList, routerConfigSchema } from '@penstock/protocol';
import { ShardedMap } from '../../sharded-map.js';
import type { KeyEntry, Snapshot } from '../snapshot/index.js';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { endpoint, KEY, keyEntry, replica, route, snapshot } from '../../testing/snapshots.js';
import { modelOn, TestRouter } from '../../testing/test-router.js';

interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
}

interface Decision {
  readonly name: string;
  readonly clock?: string;
  readonly headers: Record<string, string>;
  readonly peer: string;
  readonly model: string;
  readonly previous_requests_in_window?: number;
  readonly status: number;
  readonly code?: string;
}

const FIXTURES = new URL('../../../../../packages/protocol/fixtures/', import.meta.url);
const keys = fixture<{ clock: string; decisions: Decision[] }>('keys.json');
const config = fixture<{ exchanges: { response: unknown }[] }>('router-config.json');

function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8')) as T;
}

/** The snapshot the fixture refers to, with every mapped endpoint on one replica. */
function fixtureSnapshot(port: number): Snapshot {
  const { models, api_keys } = routerConfigSchema.parse(config.exchanges[0]?.response);
  const served = endpoint([replica(port)]);
  const routes = models.flatMap((model) =>
    [model.model, ...model.aliases].map((name) =>
      route(
        name,
        model.mappings.map((mapping) => [{ ...served, endpointId: mapping.endpoint_id }, mapping.ratio]),
      ),
    ),
  );
  const entries = api_keys.map((key): [string, KeyEntry] => [
    key.token_hash,
    keyEntry({
      keyId: key.key_id,
      allowedModels: new Set(key.allowed_models),
      expiresAtMs: key.expires_at == null ? null : Date.parse(String(key.expires_at)),
      rateLimitPerMinute: key.rate_limit ?? null,
      allowsClient: key.allowed_client_ips
        ? (peer) => parseIpList(key.allowed_client_ips).allows(peer)
        : null,
    }),
  ]);
  return { ...snapshot({ routes }), keysByHash: ShardedMap.from(entries) };
}

let upstream: ScriptedUpstream;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

describe('the key gate', () => {
  it.each(keys.decisions)('decides as the fixture says: $name', async (decision) => {
    const now = Date.parse(decision.clock ?? keys.clock);
    const router = new TestRouter({ trustedProxies: ['127.0.0.1'] }, { now: () => now });
    await router.start(fixtureSnapshot(upstream.port));
    const send = () =>
      router.chat(
        { model: decision.model, messages: [] },
        {
          headers: {
            'content-type': 'application/json',
            'x-forwarded-for': decision.peer,
            ...decision.headers,
          },
        },
      );
    for (let sent = 0; sent < (decision.previous_requests_in_window ?? 0); sent += 50) {
      await Promise.all(Array.from({ length: 50 }, async () => (await send()).text()));
    }
    const response = await send();
    expect(response.status).toBe(decision.status);
    const body = (await response.json()) as ErrorBody;
    if (decision.code !== undefined) {
      expect(body.error).toMatchObject({
        code: decision.code,
        type: expect.any(String),
        message: expect.any(String),
      });
      expect(body.error).toHaveProperty('param');
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    }
    if (decision.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('answers 503 not_ready with Retry-After before the first snapshot, then serves', async () => {
    const router = await new TestRouter().start();
    const early = await router.chat();
    expect(early.status).toBe(503);
    expect(early.headers.get('retry-after')).toBe('1');
    expect((await early.json()) as ErrorBody).toMatchObject({ error: { code: 'not_ready' } });
    router.snapshots.swap(modelOn(upstream.port));
    expect((await router.chat()).status).toBe(200);
  });

  it('refuses a client address that no candidate endpoint takes, and uses the endpoints that take it', async () => {
    const closed = endpoint([replica(upstream.port)], { allowsClient: () => false });
    const open = endpoint([replica(upstream.port)], {
      endpointId: 'e2',
      allowsClient: (peer) => peer === '127.0.0.1',
    });
    const router = await new TestRouter().start(snapshot({ routes: [route('m', [[closed, 1]])] }));
    const refused = await router.chat();
    expect(refused.status).toBe(403);
    expect((await refused.json()) as ErrorBody).toMatchObject({ error: { code: 'client_ip_not_allowed' } });
    router.snapshots.swap(
      snapshot({
        routes: [
          route('m', [
            [closed, 99],
            [open, 1],
          ]),
        ],
      }),
    );
    expect((await router.chat()).status).toBe(200);
    expect(router.requests.at(-1)).toMatchObject({ endpoint_id: 'e2' });
  });

  it('can answer 404 for a published model the key may not call', async () => {
    const router = await new TestRouter({ hideUngrantedModels: true }).start(
      snapshot({
        keys: [[KEY, keyEntry({ allowedModels: new Set() })]],
        routes: [route('m', [[endpoint([replica(upstream.port)]), 1]])],
      }),
    );
    const response = await router.chat();
    expect(response.status).toBe(404);
    expect(await response.text()).toBe(
      JSON.stringify({
        error: {
          message: 'The model `m` does not exist. GET /v1/models lists the models of this key.',
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      }),
    );
  });

  it('grants every published model to an unrestricted key and none to an empty one', async () => {
    const routes = [route('m', [[endpoint([replica(upstream.port)]), 1]])];
    const nothing = keyEntry({ allowedModels: new Set() });
    const router = await new TestRouter().start(
      snapshot({ keys: [[KEY, { ...nothing, unrestricted: true }]], routes }),
    );
    expect((await router.chat()).status).toBe(200);
    router.snapshots.swap(snapshot({ keys: [[KEY, nothing]], routes }));
    expect((await router.chat()).status).toBe(403);
  });

  it('never takes a hash, a scheme other than bearer or odd bytes for a key, and never fails on them', async () => {
    const router = await new TestRouter().start(modelOn(upstream.port));
    const values = [
      hashKey(KEY),
      `Bearer ${hashKey(KEY)}`,
      `Basic ${KEY}`,
      'Bearer',
      'Bearer  ',
      KEY,
      `Bearer ${KEY} x`,
    ];
    const random = Array.from({ length: 200 }, (_, seed) => `Bearer ${oddText(seed)}`);
    for (const authorization of [...values, ...random, `Bearer ${'x'.repeat(8_000)}`]) {
      const response = await router.chat(undefined, {
        headers: { authorization, 'content-type': 'application/json' },
      });
      expect(response.status).toBe(401);
      expect(await response.text()).not.toContain(KEY);
    }
    expect(upstream.seen).toHaveLength(0);
  });
});

/** Characters a header may carry, the odd ones above all. */
function oddText(seed: number): string {
  let text = '';
  for (let index = 0; index < 20; index += 1) {
    const code = (seed * 31 + index * 97) % 224;
    text += String.fromCharCode(code < 95 ? 0x20 + code : 0x80 + ((code - 95) % 0x7f));
  }
  return `${text}.`;
}
