import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@penstock/testkit';
import OpenAI from 'openai';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { EndpointClient } from '../support/endpoint-client.ts';
import { EndpointFixture, hostOf, type Deployment } from '../support/endpoint-fixture.ts';
import { withAlgorithm } from '../support/forged-tokens.ts';
import { Stack } from '../support/stack.ts';

/** Routers that give every deployment a host name of its own. */
let stack: Stack;
let endpoints: EndpointFixture;
let deployment: Deployment;
let token: string;

beforeAll(async () => {
  stack = await Stack.start(['--mode', 'wildcard', '--no-demo']);
  endpoints = await EndpointFixture.create(stack);
  deployment = await endpoints.deploy();
  token = await endpoints.mint(deployment.id);
}, 300_000);
afterAll(async () => {
  await endpoints.stop();
  await stack.remove();
}, 120_000);

const clientsOf = (target: Deployment) =>
  stack.info.routers.map(({ base_url }) => new EndpointClient(base_url, hostOf(target)));

/** Every router knows the endpoint: one acknowledgement is enough for the answer of a change. */
async function known(target: Deployment, status = 401): Promise<void> {
  for (const client of clientsOf(target))
    await eventually(async () => expect((await client.chat(null)).status).toBe(status));
}

describe('a private deployment on a wildcard stack', () => {
  it('gets a host name of its own, acknowledged by a router', async () => {
    expect(hostOf(deployment)).toMatch(/^endpoint-[0-9a-f]{8}\.models\.localhost:\d+$/);
    expect(deployment.propagation.status).toBe('applied');
    await known(deployment);
  });

  it('streams a completion to whoever holds its token, whatever model the body names', async () => {
    for (const client of clientsOf(deployment)) {
      const answer = await client.chat(token, { stream: true, max_tokens: 4 });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('"model":"endpoint-model"');
      expect(answer.text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    }
  });

  it('streams to an SDK at the base URL too, by the name of its model', async () => {
    await known(deployment);
    const client = new OpenAI({ baseURL: String(stack.info.base_url), apiKey: token });
    const stream = await client.chat.completions.create({
      model: 'endpoint-model',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 4,
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('endpoint-model');
  });

  it('refuses no, expired, foreign, unsigned and differently signed tokens as documented', async () => {
    const other = await endpoints.deploy();
    const coordinator = new CoordinatorApi(stack.info);
    const body = { user_uuid: '00000000-0000-4000-8000-000000000001', exp: 1_700_000_000 };
    const path = `/v2/endpoints/${deployment.id}/token`;
    const expired = await coordinator.raw<{ token: string }>(path, { body });
    const secret = String(stack.configOf('coordinator')['jwt_secret']);
    const refusals = [
      [null, 'E20006'],
      [expired.json.token, 'E20008'],
      [withAlgorithm(token, 'none', secret), 'E20008'],
      [withAlgorithm(token, 'HS512', secret), 'E20008'],
      [`${token}x`, 'E20008'],
      [await endpoints.mint(other.id), 'E20009'],
    ] as const;
    for (const client of clientsOf(deployment))
      for (const [credential, code] of refusals) {
        const answer = await client.chat(credential);
        expect([code, answer.status, answer.json.error.code]).toEqual([code, 401, code]);
      }
  });

  it('speaks the dialect of the path: OpenAI errors under /v1, those of the control API elsewhere', async () => {
    const [client] = clientsOf(deployment);
    const answer = await client?.send<{ type: string; msg: string }>('/metrics', null);
    expect([answer?.status, answer?.json.msg]).toEqual([401, expect.stringMatching(/^E20006: /)]);
    expect((await client?.send('/metrics', token))?.status).toBe(200);
  });

  it('answers 403 to an address outside its list, token or not', async () => {
    const fenced = await endpoints.deploy({ allowed_client_ips: ['203.0.113.0/24'] });
    const fencedToken = await endpoints.mint(fenced.id);
    await known(fenced, 403);
    for (const client of clientsOf(fenced)) expect((await client.chat(fencedToken)).status).toBe(403);
  });

  it('needs no token when it says so', async () => {
    const open = await endpoints.deploy({ requires_token: false });
    await known(open, 200);
  });

  it('takes the old flag with a warning', async () => {
    const open = await endpoints.deploy({ open_to_public: true });
    expect(open).toMatchObject({ visibility: 'public', requires_token: false, open_to_public: true });
    expect(open.warnings.join()).toContain('open_to_public');
  });

  it('is gone with its deployment, and its name is free again', async () => {
    const short = await endpoints.deploy({ name: 'short-lived' });
    await known(short);
    await endpoints.manager.raw(`/deployments/${short.id}`, { method: 'DELETE' });
    await known(short, 404);
    const again = await endpoints.deploy({ name: 'short-lived' });
    expect(hostOf(again)).toBe(hostOf(short));
  });
});
