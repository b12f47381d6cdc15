import { waitUntil } from '@penstock/backing-services';
import { z } from 'zod';
import type { DemoToken } from '../state/credentials.js';
import { UserError } from '../user-error.js';
import type { ManagerClient } from './manager-client.js';

const DAY_MS = 86_400_000;
const LIFETIME_MS = 30 * DAY_MS;
/** A token that ends sooner is replaced. */
const REMAINING_MIN_MS = 7 * DAY_MS;
const PLACED_TIMEOUT_MS = 30_000;

const mintedSchema = z.object({ id: z.string(), token: z.string(), expires_at: z.string() });
const deploymentSchema = z.object({ url: z.string().nullable() });
const listedSchema = z.object({ items: z.array(z.object({ id: z.string() })) });

/** An access token for every demo deployment, by its name. */
export async function ensureTokens(
  manager: ManagerClient,
  deploymentIds: Record<string, string>,
  known: Record<string, DemoToken>,
): Promise<Record<string, DemoToken>> {
  const tokens: Record<string, DemoToken> = {};
  for (const [name, deploymentId] of Object.entries(deploymentIds)) {
    tokens[name] = await ensureToken(manager, deploymentId, known[name]);
  }
  return tokens;
}

async function ensureToken(
  manager: ManagerClient,
  deploymentId: string,
  known: DemoToken | undefined,
): Promise<DemoToken> {
  const url = await placedUrl(manager, deploymentId);
  if (known && lastsLongEnough(known) && (await isListed(manager, deploymentId, known.id)))
    return { ...known, url };
  const expires_at = new Date(Date.now() + LIFETIME_MS).toISOString();
  const minted = await manager.post(`/deployments/${deploymentId}/tokens`, { expires_at }, mintedSchema);
  return { ...minted, url };
}

/** The address, as soon as the coordinator has found a worker for the deployment. */
async function placedUrl(manager: ManagerClient, deploymentId: string): Promise<string> {
  let url: string | null = null;
  const isPlaced = async (): Promise<boolean> => {
    ({ url } = await manager.get(`/deployments/${deploymentId}`, deploymentSchema));
    return url !== null;
  };
  if ((await waitUntil(isPlaced, PLACED_TIMEOUT_MS)) && url !== null) return url;
  throw new UserError(`Deployment ${deploymentId} has no address after ${PLACED_TIMEOUT_MS / 1000} s.`);
}

function lastsLongEnough({ expires_at }: DemoToken): boolean {
  return Date.parse(expires_at) - Date.now() > REMAINING_MIN_MS;
}

/** False for a token of a deployment that was removed and made again. */
async function isListed(manager: ManagerClient, deploymentId: string, tokenId: string): Promise<boolean> {
  const { items } = await manager.get(`/deployments/${deploymentId}/tokens`, listedSchema);
  return items.some(({ id }) => id === tokenId);
}
