import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';

import { call } from '../support/http.ts';
import { ModelFixture } from '../support/model-fixture.ts';
import { bearer } from '../support/router-api.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { openStream } from '../support/sse-reader.ts';
import { SLACK } from '../support/figures.ts';

const stack = sharedStack();
let fixture: ModelFixture;
let client: OpenAI;

beforeAll(async () => {
  fixture = await ModelFixture.create(stack, [{ ratio: 1, replicas: 1, behaviour: { tokens: 24 } }]);
  client = new OpenAI({ baseURL: fixture.router.baseUrl, apiKey: fixture.key });
});
afterAll(() => fixture.stop());

const messages = [{ role: 'user' as const, content: 'say something' }];

describe('the unmodified openai SDK', () => {
  it('works with the address, key and model that up printed', async () => {
    const demo = new OpenAI({ baseURL: stack.info.base_url, apiKey: stack.info.api_key });
    const answer = await demo.chat.completions.create({ model: stack.info.model, messages });
    expect(answer.choices[0]?.message.content).toBeTruthy();
  });

  it('lists exactly the models of its key and retrieves one', async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual([fixture.name]);
    expect((await client.models.retrieve(fixture.name)).id).toBe(fixture.name);
  });

  it('chats', async () => {
    const answer = await client.chat.completions.create({ model: fixture.name, messages });
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage?.completion_tokens).toBe(24);
  });

  it('streams a chat, with usage when asked and without when not', async () => {
    const texts = await Promise.all(
      [true, false].map(async (wanted) => {
        const stream = await client.chat.completions.create({
          model: fixture.name,
          messages,
          stream: true,
          ...(wanted && { stream_options: { include_usage: true } }),
        });
        let text = '';
        const usages = [];
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          if (chunk.usage != null) usages.push(chunk.usage.completion_tokens);
        }
        expect(usages).toEqual(wanted ? [24] : []);
        return text;
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe('');
  });

  it('completes and embeds', async () => {
    const completion = await client.completions.create({ model: fixture.name, prompt: 'once' });
    expect(completion.choices[0]?.text).toBeTruthy();
    const { data } = await client.embeddings.create({ model: fixture.name, input: ['a', 'b'] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([64, 64]);
  });

  it('raises its own typed errors', async () => {
    await expect(client.chat.completions.create({ model: 'no-such-model', messages })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const stranger = new OpenAI({ baseURL: fixture.router.baseUrl, apiKey: 'sk-unknown' });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('relayed bytes', () => {
  const direct = (path: string, body: object) =>
    call(`${fixture.deployments[0]?.replicas[0]?.url}/v1${path}`, {
      body: { ...body, model: fixture.deployments[0]?.replicas[0]?.model },
    });
  const routed = (path: string, body: object) =>
    call(`${fixture.router.baseUrl}${path}`, {
      body: { ...body, model: fixture.name },
      headers: bearer(fixture.key),
    });

  it.each([
    ['a stream without usage', '/chat/completions', { messages, stream: true }],
    [
      'a stream with usage',
      '/chat/completions',
      { messages, stream: true, stream_options: { include_usage: true } },
    ],
    [
      'a stream with continuous usage',
      '/chat/completions',
      { messages, stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } },
    ],
    [
      'a stream that declines usage',
      '/chat/completions',
      { messages, stream: true, stream_options: { include_usage: false } },
    ],
    ['a streamed completion', '/completions', { prompt: 'once', stream: true }],
    ['a chat', '/chat/completions', { messages }],
    ['embeddings', '/embeddings', { input: 'a' }],
  ])('are what the replica sends for %s', async (_name, path, body) => {
    const [expected, actual] = [await direct(path, body), await routed(path, body)];
    expect(actual.status).toBe(200);
    expect(actual.text).toBe(expected.text);
    expect(actual.headers['content-type']).toBe(expected.headers['content-type']);
  });

  it('keep every byte of the request but the model name', async () => {
    const body = `{ "messages" : [{"role":"user","content":"\\u00e9 한 🚰"}],\n\t"x_unknown":{"a":[1.50,null]}, "model":"${fixture.name}" }`;
    const admin = fixture.deployments[0]?.admins[0];
    const answer = await call(`${fixture.router.baseUrl}/chat/completions`, {
      body,
      headers: bearer(fixture.key),
    });
    expect(answer.status).toBe(200);
    const seen = (await admin?.inferenceCalls())?.at(-1);
    expect(seen?.body).toBe(
      body.replace(`"${fixture.name}"`, `"${fixture.deployments[0]?.replicas[0]?.model}"`),
    );
    expect(seen?.headers['authorization']).toBeUndefined();
  });

  it('arrive event by event while the stream is open', async () => {
    const admin = fixture.deployments[0]?.admins[0];
    await admin?.behave({ inter_token_ms: 40 });
    const { baseUrl } = fixture.router;
    const stream = await openStream({ baseUrl, key: fixture.key, model: fixture.name });
    expect(await stream.ended).toBe('ended');
    await admin?.behave({ inter_token_ms: 0 });
    const gaps = stream.arrivals.slice(1).map((at, index) => at - (stream.arrivals[index] ?? at));
    expect(stream.arrivals.length).toBeGreaterThanOrEqual(20);
    expect(Math.max(...gaps)).toBeLessThan(40 + 20 * SLACK);
    expect(stream.text().endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('carry a request id, which a caller can find again', async () => {
    const answer = await routed('/chat/completions', { messages });
    expect(answer.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
  });
});
