import { DEMO_DEPLOYMENTS, DEMO_MODEL } from '../plan/demo-deployments.js';
import type { DemoCredentials } from '../state/credentials.js';
import { ensurePublication, isKeyActive, issueKey } from './demo-resources.js';
import type { ManagerClient } from './manager-client.js';

type Key = Record<'api_key' | 'api_key_id', string>;

/** The published name in front of the demo deployments, and a key for it. */
export async function ensurePublished(
  manager: ManagerClient,
  { project_id, deployment_ids }: Pick<DemoCredentials, 'project_id' | 'deployment_ids'>,
  known: DemoCredentials | null,
): Promise<Key & { publication_id: string }> {
  const mappings = DEMO_DEPLOYMENTS.map(({ name, ratio }) => ({
    deployment_id: deployment_ids[name] ?? '',
    ratio,
  }));
  const publication_id = await ensurePublication(manager, project_id, DEMO_MODEL, mappings);
  return { publication_id, ...(await ensureKey(manager, project_id, known)) };
}

async function ensureKey(
  manager: ManagerClient,
  projectId: string,
  known: DemoCredentials | null,
): Promise<Key> {
  if (known?.api_key_id && known.api_key && (await isKeyActive(manager, known.api_key_id))) {
    return { api_key_id: known.api_key_id, api_key: known.api_key };
  }
  const issued = await issueKey(manager, projectId, DEMO_MODEL);
  return { api_key_id: issued.id, api_key: issued.key };
}
