import type { Progress } from '@penstock/backing-services';
import { DEMO_DEPLOYMENTS, demoReplicas } from '../plan/demo-deployments.js';
import type { StackPlan } from '../plan/stack-plan.js';
import { stackUrls } from '../plan/stack-urls.js';
import { type DemoCredentials, saveCredentials } from '../state/credentials.js';
import type { LaunchContext } from '../supervisor/launch-service.js';
import { ensureDeployment, ensureProject } from './demo-resources.js';
import { ManagerClient } from './manager-client.js';
import { ensureTokens } from './ensure-tokens.js';
import { ensurePublished } from './ensure-published.js';
import { awaitEndpoints, awaitModel } from './await-visible.js';

/**
 * Two deployments on simulated replicas, made through the manager's API, and what calling them takes: one published
 * name and a key in router mode, an access token for each in wildcard mode. Repeating it changes nothing but the
 * replicas' ports; keys and tokens are those of the first start while they are good.
 */
export async function ensureDemo(plan: StackPlan, context: LaunchContext, progress: Progress): Promise<void> {
  const { credentials, dir } = context;
  progress('Preparing the demo ...');
  const manager = new ManagerClient(stackUrls(credentials, plan.ports).manager, credentials.admin_token);
  const projectId = await ensureProject(manager, 'demo');
  const deploymentIds = await ensureDeployments(manager, projectId, plan);
  const made = { project_id: projectId, deployment_ids: deploymentIds };
  const access = await ensureAccess(plan, manager, made, credentials.demo);
  credentials.demo = { ...made, ...access };
  saveCredentials(dir.credentialsFile, credentials);
  await awaitVisible(plan, credentials.demo);
}

type Made = Pick<DemoCredentials, 'project_id' | 'deployment_ids'>;

async function ensureAccess(
  { options }: StackPlan,
  manager: ManagerClient,
  made: Made,
  known: DemoCredentials | null,
): Promise<Omit<DemoCredentials, keyof Made>> {
  if (options.mode === 'router') return { ...(await ensurePublished(manager, made, known)), tokens: {} };
  const tokens = await ensureTokens(manager, made.deployment_ids, known?.tokens ?? {});
  return { publication_id: null, api_key_id: null, api_key: null, tokens };
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

function awaitVisible({ ports }: StackPlan, demo: DemoCredentials): Promise<void> {
  if (demo.api_key !== null) return awaitModel(ports.router, demo.api_key);
  return awaitEndpoints(ports.router, demo.tokens);
}
