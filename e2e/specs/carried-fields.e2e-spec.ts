import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { CoordinatorApi } from '../support/coordinator-api.ts';
import { ManagerApi, unique, type Created, type Propagation } from '../support/manager-api.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = sharedStack();
const manager = new ManagerApi(stack.info);
const coordinator = new CoordinatorApi(stack.info);
const policy = { limits: { tokens_per_minute: 1_000 }, tags: ['a', 'b'] };
const attributes = { team: 'water', cost_centre: 7 };
const name = unique('carried');
let projectId: string;
let deployment: Created;
let publication: Created;
let key: Created;

async function created(path: string, body: object): Promise<Created> {
  const answer = await manager.raw<Created>(path, { method: 'POST', body });
  expect({ status: answer.status, text: answer.status === 201 ? '' : answer.text }).toEqual({
    status: 201,
    text: '',
  });
  return answer.json;
}

/** What a router is told when it asks. */
async function toldToRouters<T>(what: 'circuits' | 'router-config'): Promise<T> {
  const { json } = await coordinator.raw<{ workers: { id: string; authority: string }[] }>('/api/worker');
  const worker = json.workers.find(({ authority }) => authority === stack.info.authority);
  return (await coordinator.raw<T>(`/api/worker/${worker?.id}/${what}`)).json;
}

beforeAll(async () => {
  projectId = (await manager.createProject()).id;
  deployment = await created('/deployments', {
    project_id: projectId,
    name,
    capabilities: ['chat', 'vision'],
    policy,
    replicas: [
      { host: '127.0.0.1', port: 9, weight: 3, accelerators: { model: 'H100', count: 8 } },
      { host: '127.0.0.1', port: 10 },
    ],
  });
  const mappings = [{ deployment_id: deployment.id, ratio: 1 }];
  publication = await created('/publications', { project_id: projectId, name, mappings, policy });
  key = await created('/model-api-keys', { project_id: projectId, allowed_models: [name], attributes });
});
afterAll(async () => {
  await manager.revokeKey(key.id);
  await manager.unpublish(publication.id);
});

describe('what the manager knows of a request reaches the routers', () => {
  it('project, domain, owner and attributes with the key, policy with the publication', async () => {
    const { models, api_keys: keys } = await toldToRouters<{ models: object[]; api_keys: object[] }>(
      'router-config',
    );
    expect(keys).toContainEqual(
      expect.objectContaining({
        key_id: key.id,
        project_id: projectId,
        domain: 'default',
        owner: expect.stringMatching(/./),
        attributes,
      }),
    );
    expect(models).toContainEqual(expect.objectContaining({ model: name, policy }));
  });

  it('policy, capabilities and accelerators with the circuit', async () => {
    const { circuits } = await toldToRouters<{
      circuits: { endpoint_id: string; route_info: { kernel_port: number }[] }[];
    }>('circuits');
    const circuit = circuits.find(({ endpoint_id }) => endpoint_id === deployment.id);
    expect(circuit).toMatchObject({ policy, capabilities: ['chat', 'vision'] });
    expect(circuit?.route_info.find(({ kernel_port }) => kernel_port === 9)).toMatchObject({
      accelerators: { model: 'H100', count: 8 },
    });
  });

  it('only a policy that differs is a change', async () => {
    const change = async (next: object): Promise<Propagation['status'] | undefined> => {
      const path = `/publications/${publication.id}`;
      const { json } = await manager.raw<Created>(path, { method: 'PATCH', body: { policy: next } });
      return json.propagation?.status;
    };
    expect(await change({ tags: ['a', 'b'], limits: { tokens_per_minute: 1_000 } })).toBe('unchanged');
    expect(await change({ ...policy, tags: ['b', 'a'] })).toBe('applied');
  });
});

describe('everything that changes', () => {
  it('leaves an audit row in its project and is listed by it', async () => {
    const { json } = await manager.raw<{ items: object[] }>(`/audit-logs?project_id=${projectId}&limit=50`);
    for (const { id } of [deployment, publication, key]) expect(JSON.stringify(json.items)).toContain(id);
    for (const path of ['/deployments', '/publications', '/model-api-keys']) {
      const list = await manager.raw<{ items: object[] }>(`${path}?project_id=${projectId}`);
      expect(list.json.items).toHaveLength(1);
    }
  });
});
