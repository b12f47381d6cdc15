import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ScriptedUpstream } from '../../testing/scripted-upstream.js';
import { modelOn, TestRouter } from '../../testing/test-router.js';

let upstream: ScriptedUpstream;
let router: TestRouter;

beforeEach(async () => {
  upstream = await new ScriptedUpstream().listen();
  router = await new TestRouter().start(modelOn(upstream.port));
});

afterEach(async () => {
  await TestRouter.stopAll();
  await upstream.close();
});

describe('a request', () => {
  it('reaches the replica with the served model spliced in and nothing else changed', async () => {
    const body =
      '{ "messages":[{"role":"user","content":"한국어 🙂"}],\n"model" : "m", "x":{"model":"m"}, "n":1.0 }';
    const response = await router.chat(body);
    expect(response.status).toBe(200);
    expect(upstream.calls[0]?.body).toBe(body.replace('"model" : "m"', '"model" : "served"'));
    expect(upstream.calls[0]?.path).toBe('/v1/chat/completions');
  });

  it('carries no credential, cookie or hop-by-hop header to the replica, and asks for identity encoding', async () => {
    await router.chat(undefined, {
      headers: {
        authorization: 'Bearer sk-test-0123456789abcdefghijklmnopqrstuvwxyzABCDE',
        'x-api-key': 'sk-other',
        cookie: 'a=b',
        'content-type': 'application/json',
        'x-custom': 'kept',
        'x-forwarded-for': '1.2.3.4',
      },
    });
    const headers = upstream.calls[0]?.headers ?? {};
    for (const name of ['authorization', 'x-api-key', 'cookie', 'x-forwarded-for'])
      expect(headers).not.toHaveProperty(name);
    expect(headers).toMatchObject({ 'accept-encoding': 'identity', 'x-custom': 'kept' });
    expect(headers['x-request-id']).toMatch(
      /^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it("is answered with our request id, the caller's beside it, and ends in one wide event", async () => {
    const response = await router.chat(undefined, {
      headers: {
        authorization: 'Bearer sk-test-0123456789abcdefghijklmnopqrstuvwxyzABCDE',
        'content-type': 'application/json',
        'x-request-id': 'mine',
      },
    });
    await response.text();
    const id = response.headers.get('x-request-id');
    expect(id).toMatch(/^req_/);
    expect(response.headers.get('x-penstock-client-request-id')).toBe('mine');
    expect(router.requests).toHaveLength(1);
    expect(router.requests[0]).toMatchObject({
      request_id: id,
      client_request_id: 'mine',
      outcome: 'completed',
      status: 200,
      attempts: 1,
      model: 'm',
      completion_tokens: 2,
    });
    expect(await router.metrics.text()).toContain(
      'penstock_router_requests_total{route="chat_completions",status="2xx",fault="none",service="router"} 1',
    );
  });
});
