import { z } from 'zod';
import type { DemoReplica } from '../plan/demo-deployments.js';
import type { ManagerClient } from './manager-client.js';

const namedSchema = z.object({ id: z.string(), name: z.string() });
const replicaSchema = z.object({ host: z.string(), port: z.int() });
const keySchema = z.object({ id: z.string(), key: z.string() });
const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item) });

const HOST = '127.0.0.1';

/** The demo's project; made once. */
export async function ensureProject(manager: ManagerClient, name: string): Promise<string> {
  const known = await manager.get(`/projects?name=${encodeURIComponent(name)}`, pageOf(namedSchema));
  const found = known.items.find((project) => project.name === name);
  return (found ?? (await manager.post('/projects', { name }, namedSchema))).id;
}

/** One deployment with exactly these replicas; their ports may differ from the last start's. */
export async function ensureDeployment(
  manager: ManagerClient,
  projectId: string,
  deployment: { name: string; servedModel: string },
  replicas: DemoReplica[],
): Promise<string> {
  const wanted = replicas.map(({ port }) => ({ host: HOST, port }));
  const known = await findByName(manager, 'deployments', projectId, deployment.name);
  if (known) return replaceReplicas(manager, known, wanted);
  const body = {
    project_id: projectId,
    name: deployment.name,
    served_model: deployment.servedModel,
    capabilities: ['chat', 'completions', 'embeddings'],
    replicas: wanted,
  };
  return (await manager.post('/deployments', body, namedSchema)).id;
}

async function replaceReplicas(
  manager: ManagerClient,
  deploymentId: string,
  wanted: z.infer<typeof replicaSchema>[],
): Promise<string> {
  const path = `/deployments/${deploymentId}/replicas`;
  const { items } = await manager.get(path, pageOf(replicaSchema));
  const ports = (list: { port: number }[]): string =>
    list
      .map(({ port }) => port)
      .sort()
      .join();
  if (ports(items) !== ports(wanted)) await manager.put(path, { replicas: wanted }, z.unknown());
  return deploymentId;
}

/** The published name. An existing one is left as it is: its ratios may have been changed on purpose. */
export async function ensurePublication(
  manager: ManagerClient,
  projectId: string,
  name: string,
  mappings: { deployment_id: string; ratio: number }[],
): Promise<string> {
  const known = await findByName(manager, 'publications', projectId, name);
  if (known) return known;
  const body = { project_id: projectId, name, mappings };
  return (await manager.post('/publications', body, namedSchema)).id;
}

/** A new key for the published name. */
export function issueKey(
  manager: ManagerClient,
  projectId: string,
  model: string,
): Promise<z.infer<typeof keySchema>> {
  const body = { project_id: projectId, name: 'demo', allowed_models: [model] };
  return manager.post('/model-api-keys', body, keySchema);
}

/** True when the manager still knows the key and it may be used. */
export async function isKeyActive(manager: ManagerClient, keyId: string): Promise<boolean> {
  const known = await manager.find(`/model-api-keys/${keyId}`, z.object({ status: z.string() }));
  return known?.status.toUpperCase() === 'ACTIVE';
}

async function findByName(
  manager: ManagerClient,
  kind: 'deployments' | 'publications',
  projectId: string,
  name: string,
): Promise<string | null> {
  const query = new URLSearchParams({ project_id: projectId, name });
  const { items } = await manager.get(`/${kind}?${query.toString()}`, pageOf(namedSchema));
  return items.find((item) => item.name === name)?.id ?? null;
}
