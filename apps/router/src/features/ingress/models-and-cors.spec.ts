import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyEntry } from '../snapshot/index.js';
import { endpoint, KEY, keyEntry, route, snapshot } from '../../testing/snapshots.js';
import { TestRouter } from '../../testing/test-router.js';

const NAMES = [
  'plain',
  'org/model',
  'a/b/c',
  'with space',
  '한국어-모델',
  '100%',
  'a%2Fb',
  'ü',
  '🙂',
  'q?x=1',
  'x#y',
  'A',
];

let router: TestRouter;

beforeAll(async () => {
  router = await new TestRouter().start();
});

afterAll(() => TestRouter.stopAll());

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${router.url}${path}`, { headers: { authorization: `Bearer ${KEY}` }, ...init });
}

function publish(published: readonly string[], key: Partial<KeyEntry>): void {
  const routes = published.map((name, index) => route(name, index % 2 === 0 ? [[endpoint([]), 1]] : []));
  router.snapshots.swap(snapshot({ keys: [[KEY, keyEntry(key)]], routes }));
}

describe('GET /v1/models', () => {
  it('lists exactly the names this key may call, in 200 random states', async () => {
    let state = 7;
    const flip = () => ((state = (state * 48_271) % 2_147_483_647) & 64) !== 0;
    for (let round = 0; round < 200; round += 1) {
      const published = NAMES.filter(flip);
      const granted = [...NAMES, 'never-published'].filter(flip);
      const unrestricted = round % 10 === 0;
      publish(published, { allowedModels: new Set(unrestricted ? [] : granted), unrestricted });
      const callable = published.filter((name) => unrestricted || granted.includes(name));
      const list = (await (await get('/v1/models')).json()) as { object: string; data: { id: string }[] };
      expect(list.object).toBe('list');
      expect(list.data.map((model) => model.id)).toEqual([...callable].sort());
      for (const name of NAMES.filter((_, index) => index % 4 === round % 4)) {
        const status = (await get(`/v1/models/${encodeURIComponent(name)}`)).status;
        const expected = published.includes(name) ? 403 : 404;
        expect([name, status]).toEqual([name, callable.includes(name) ? 200 : expected]);
      }
    }
  }, 30_000);

  it('finds a name however the client escapes it', async () => {
    publish(NAMES, { allowedModels: new Set(NAMES) });
    for (const path of [
      'org/model',
      'org%2Fmodel',
      'a/b/c',
      'with%20space',
      '100%',
      '100%25',
      'a%252Fb',
      '%F0%9F%99%82',
    ]) {
      const response = await get(`/v1/models/${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.json()).toMatchObject({ object: 'model', owned_by: 'penstock' });
    }
  });

  it('answers HEAD with the same head and no body', async () => {
    publish(NAMES, { allowedModels: new Set(NAMES) });
    const full = await get('/v1/models');
    const head = await get('/v1/models', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(full.headers.get('content-length'));
    expect(await head.text()).toBe('');
  });

  it('needs a key', async () => {
    expect((await get('/v1/models', { headers: {} })).status).toBe(401);
  });
});

describe('a web page', () => {
  it('may ask first without a key, and may send the headers it asks for', async () => {
    const response = await get('/v1/chat/completions', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, x-stainless-lang, content-type',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')).toBe('POST, OPTIONS');
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'authorization, x-stainless-lang, content-type',
    );
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('may read errors as well', async () => {
    const response = await get('/v1/models', { headers: { origin: 'https://app.example.com' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('x-request-id');
  });

  it('of an origin that is not on the list may not', async () => {
    const strict = await new TestRouter({ corsAllowedOrigins: ['https://app.example.com'] }).start();
    const ask = (origin: string) =>
      fetch(`${strict.url}/v1/models`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
    expect((await ask('https://app.example.com')).headers.get('access-control-allow-origin')).toBe(
      'https://app.example.com',
    );
    const other = await ask('https://evil.example.com');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
    expect(other.headers.get('vary')).toContain('origin');
  });
});
