import { type Progress, waitUntil } from '@penstock/backing-services';
import { DEMO_DEPLOYMENTS, DEMO_MODEL, demoReplicas } from '../plan/demo-deployments.js';
import type { StackPlan } from '../plan/stack-plan.js';
import { stackUrls } from '../plan/stack-urls.js';
import { type Credentials, type DemoCredentials, saveCredentials } from '../state/credentials.js';
import type { LaunchContext } from '../supervisor/launch-service.js';
import { UserError } from '../user-error.js';
import {
  ensureDeployment,
  ensureProject,
  ensurePublication,
  isKeyActive,
  issueKey,
} from './demo-resources.js';
import { ManagerClient } from './manager-client.js';

const VISIBLE_TIMEOUT_MS = 30_000;

/**
 * Two deployments on simulated replicas, one published name and one key, made through the manager's API.
 * Repeating it changes nothing but the replicas' ports; the key is the one of the first start.
 */
export async function ensureDemo(plan: StackPlan, context: LaunchContext, progress: Progress): Promise<void> {
  const { credentials, dir } = context;
  progress('Publishing the demo model ...');
  const manager = new ManagerClient(stackUrls(credentials, plan.ports).manager, credentials.admin_token);
  const projectId = await ensureProject(manager, 'demo');
  const deploymentIds = await ensureDeployments(manager, projectId, plan);
  const mappings = DEMO_DEPLOYMENTS.map(({ name, ratio }) => ({
    deployment_id: deploymentIds[name] ?? '',
    ratio,
  }));
  const publicationId = await ensurePublication(manager, projectId, DEMO_MODEL, mappings);
  const key = await ensureKey(manager, projectId, credentials);
  credentials.demo = {
    project_id: projectId,
    deployment_ids: deploymentIds,
    publication_id: publicationId,
    ...key,
  };
  saveCredentials(dir.credentialsFile, credentials);
  await awaitVisible(plan, key.api_key);
}

async function ensureDeployments(
  manager: ManagerClient,
  projectId: string,
  plan: StackPlan,
): Promise<Record<string, string>> {
  const replicas = demoReplicas(plan.ports.replica, plan.ports['replica-admin']);
  const ids: Record<string, string> = {};
  for (const deployment of DEMO_DEPLOYMENTS) {
    const own = replicas.filter((replica) => replica.deployment === deployment.name);
    ids[deployment.name] = await ensureDeployment(manager, projectId, deployment, own);
  }
  return ids;
}

async function ensureKey(
  manager: ManagerClient,
  projectId: string,
  { demo }: Credentials,
): Promise<Pick<DemoCredentials, 'api_key' | 'api_key_id'>> {
  if (demo && (await isKeyActive(manager, demo.api_key_id))) {
    return { api_key_id: demo.api_key_id, api_key: demo.api_key };
  }
  const issued = await issueKey(manager, projectId, DEMO_MODEL);
  return { api_key_id: issued.id, api_key: issued.key };
}

/** Every router lists the model for the key: from here on a request works wherever it is sent. */
async function awaitVisible(plan: StackPlan, key: string): Promise<void> {
  for (const port of plan.ports.router) {
    const visible = await waitUntil(() => listsModel(port, key), VISIBLE_TIMEOUT_MS);
    if (!visible) {
      throw new UserError(
        `The router on port ${port} does not offer ${DEMO_MODEL} after ${VISIBLE_TIMEOUT_MS / 1000} s.`,
      );
    }
  }
}

async function listsModel(port: number, key: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(2_000),
  });
  return (await response.text()).includes(`"${DEMO_MODEL}"`);
}
