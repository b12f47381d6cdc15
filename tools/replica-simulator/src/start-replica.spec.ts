import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { SeenRequest } from './request-log.js';
import { startReplica, type RunningReplica } from './start-replica.js';

let replica: RunningReplica;

beforeEach(async () => {
  replica = await startReplica({ model: 'sim', ttftMs: 0, interTokenMs: 0, tokens: 4, deterministic: true });
});
afterEach(() => replica.stop());

const chat = { model: 'sim', messages: [{ role: 'user', content: 'hello' }] };

function post(body: object, path = '/v1/chat/completions'): Promise<Response> {
  return fetch(`${replica.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-secret' },
    body: JSON.stringify(body),
  });
}

async function admin<T>(method: string, path: string, body?: object): Promise<T> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${replica.adminUrl}${path}`, init);
  return (await response.json()) as T;
}

async function seen(): Promise<SeenRequest[]> {
  return (await admin<{ requests: SeenRequest[] }>('GET', '/requests')).requests;
}

/** What arrives before the connection breaks. */
async function receivedOf(response: Response): Promise<string> {
  let text = '';
  await expect(
    (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece as Uint8Array).toString();
    })(),
  ).rejects.toThrow();
  return text;
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('condition not reached in 5 s');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a simulated replica', () => {
  it('serves models, chat, completions, embeddings, health and metrics', async () => {
    const models = (await (await fetch(`${replica.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(['sim']);
    expect(await (await post(chat)).json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant' } }],
      usage: { completion_tokens: 4 },
    });
    expect(await (await post({ model: 'sim', prompt: 'x' }, '/v1/completions')).json()).toMatchObject({
      object: 'text_completion',
    });
    const embeddings = { model: 'sim', input: ['a', 'b'], encoding_format: 'base64', dimensions: 8 };
    const vectors = (await (await post(embeddings, '/v1/embeddings')).json()) as {
      data: { embedding: string }[];
    };
    expect(vectors.data.map(({ embedding }) => Buffer.from(embedding, 'base64').length)).toEqual([32, 32]);
    expect((await fetch(`${replica.url}/health`)).status).toBe(200);
    const metrics = await (await fetch(`${replica.url}/metrics`)).text();
    expect(metrics).toMatch(/vllm:num_requests_running\{model_name="sim",engine="0"\} 0\n/);
    expect(metrics).toContain('vllm:kv_cache_usage_perc');
  });

  it('sends equal streams for equal requests', async () => {
    const first = await (await post({ ...chat, stream: true })).text();
    expect(first).toBe(await (await post({ ...chat, stream: true })).text());
    expect(first.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('refuses bad requests the way vLLM does', async () => {
    const statusOf = async (response: Promise<Response>): Promise<number> => (await response).status;
    expect(await statusOf(post({ ...chat, model: 'other' }))).toBe(404);
    expect(await statusOf(post({ model: 'sim', messages: [] }))).toBe(400);
    expect(await statusOf(post(chat, '/v1/nothing'))).toBe(404);
    expect(await statusOf(fetch(`${replica.url}/v1/chat/completions`))).toBe(405);
    const broken = fetch(`${replica.url}/v1/chat/completions`, { method: 'POST', body: '{' });
    expect(await (await broken).json()).toMatchObject({ error: { code: 400, type: 'BadRequestError' } });
  });

  it('records what it saw, without credentials', async () => {
    await (await post(chat)).text();
    const [entry] = await seen();
    expect(entry).toMatchObject({ method: 'POST', path: '/v1/chat/completions', model: 'sim', status: 200 });
    expect(entry?.headers['authorization']).toBe('present');
    expect(JSON.parse(entry?.body ?? '')).toEqual(chat);
  });

  it('notices that a client left before the first token', async () => {
    await admin('PUT', '/behaviour', { ttft_ms: 60_000 });
    const call = httpRequest(`${replica.url}/v1/chat/completions`, { method: 'POST' });
    call.on('error', () => undefined);
    call.end(JSON.stringify({ ...chat, stream: true }));
    await until(async () => (await seen()).length === 1);
    call.destroy();
    await until(async () => (await seen())[0]?.aborted === true);
    expect(await admin('GET', '/stats')).toMatchObject({ aborted_sockets: 1, active: 0, running: 0 });
  });
});

describe('scripted faults', () => {
  it('answers a status once, with Retry-After, and works again after it', async () => {
    await admin('POST', '/faults', { kind: 'status', status: 503, retry_after: 7, times: 1 });
    const failed = await post(chat);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await post(chat)).status).toBe(200);
  });

  it('cuts before the first byte, after the head, and inside a stream', async () => {
    await admin('POST', '/faults', [
      { kind: 'cut_before_first_byte', times: 1 },
      { kind: 'cut_after_head', times: 1 },
      { kind: 'cut_mid_stream', after_events: 2, times: 1 },
    ]);
    await expect(post(chat)).rejects.toThrow();
    const headOnly = await post({ ...chat, stream: true });
    await expect(headOnly.text()).rejects.toThrow();
    const cut = await post({ ...chat, stream: true });
    expect((await receivedOf(cut)).split('\n\n').filter(Boolean)).toHaveLength(2);
    const last = (await seen()).at(-1);
    expect(last).toMatchObject({ fault: 'cut_mid_stream', events_sent: 2, aborted: false });
  });

  it('sends malformed bodies and malformed HTTP', async () => {
    await admin('POST', '/faults', [
      { kind: 'malformed', times: 1 },
      { kind: 'malformed', what: 'http', times: 1 },
    ]);
    await expect((await post(chat)).json()).rejects.toThrow();
    await expect(post(chat)).rejects.toThrow();
  });

  it('refuses connections until the faults are deleted, then listens on the same port', async () => {
    await admin('POST', '/faults', { kind: 'refuse' });
    const port = Number(new URL(replica.url).port);
    const code = await new Promise((resolve) =>
      connect(port, '127.0.0.1').once('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    );
    expect(code).toBe('ECONNREFUSED');
    await admin('DELETE', '/faults');
    expect((await post(chat)).status).toBe(200);
  });

  it('names what is wrong with a script it does not understand', async () => {
    const answer = await admin<{ status: number; detail: string }>('POST', '/faults', { kind: 'explode' });
    expect(answer.status).toBe(400);
  });

  it('forgets everything on reset', async () => {
    await admin('POST', '/faults', { kind: 'hang' });
    await admin('PUT', '/behaviour', { tokens: 9 });
    await admin('POST', '/reset');
    expect(await admin('GET', '/behaviour')).toMatchObject({ tokens: 4 });
    expect((await post(chat)).status).toBe(200);
    expect(await admin('GET', '/stats')).toMatchObject({ requests: 1 });
  });
});
