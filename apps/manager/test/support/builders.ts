import { randomBytes } from 'node:crypto';

import type { z } from 'zod';

import type {
  changedDeploymentSchema,
  removedSchema,
} from '../../src/features/deployments/deployments.schemas.js';
import type {
  issuedKeySchema,
  revokedKeySchema,
} from '../../src/features/model-api-keys/model-api-keys.schemas.js';
import type {
  boundUpstreamSchema,
  serviceEnvironmentSchema,
} from '../../src/features/upstream-bindings/upstream.schemas.js';
import type { mintedTokenSchema } from '../../src/features/deployment-tokens/deployment-tokens.schemas.js';
import type { publicationSchema } from '../../src/features/publications/publications.schemas.js';
import type { AnyBody, ApiAnswer, ApiClient } from './api-client.js';

export type Deployment = z.output<typeof changedDeploymentSchema>;
export type Publication = z.output<typeof publicationSchema> & Pick<Deployment, 'propagation'>;
export type IssuedKey = z.output<typeof issuedKeySchema> & Pick<Deployment, 'propagation'>;
export type RevokedKey = z.output<typeof revokedKeySchema> & Pick<Deployment, 'propagation'>;
export type BoundUpstream = z.output<typeof boundUpstreamSchema>;
export type Environment = z.output<typeof serviceEnvironmentSchema>;
export type MintedToken = z.output<typeof mintedTokenSchema>;
export type Removed = z.output<typeof removedSchema>;

/** Body of an RFC 9457 answer. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}

export async function makeProject(admin: ApiClient): Promise<string> {
  const answer = await admin.post<{ id: string }>('/api/v1/projects', { name: unique('project') });
  return created(answer).id;
}

export async function makeDeployment(
  client: ApiClient,
  projectId: string,
  fields: AnyBody = {},
): Promise<Deployment> {
  const answer = await client.post<Deployment>('/api/v1/deployments', {
    project_id: projectId,
    name: unique('deployment'),
    replicas: [{ host: '127.0.0.1', port: 10_500 }],
    ...fields,
  });
  return created(answer);
}

export async function makePublication(
  client: ApiClient,
  projectId: string,
  fields: AnyBody = {},
): Promise<Publication> {
  const answer = await client.post<Publication>('/api/v1/publications', {
    project_id: projectId,
    name: unique('model'),
    ...fields,
  });
  return created(answer);
}

export async function issueKey(
  client: ApiClient,
  projectId: string,
  models: readonly string[],
  fields: AnyBody = {},
): Promise<IssuedKey> {
  const body = { project_id: projectId, allowed_models: models, ...fields };
  return created(await client.post<IssuedKey>('/api/v1/model-api-keys', body));
}

/** Makes the first deployment call the second. */
export async function bind(
  client: ApiClient,
  downstreamId: string,
  upstreamId: string,
  fields: AnyBody = {},
): Promise<BoundUpstream> {
  const body = { upstream_deployment_id: upstreamId, ...fields };
  const answer = await client.put<BoundUpstream>(`/api/v1/deployments/${downstreamId}/upstream`, body);
  if (answer.status === 200) return answer.body;
  throw new Error(`expected 200, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** A user with a role in a project, or without any, and a token to call with. */
export async function makeUser(
  admin: ApiClient,
  membership: { projectId: string; role: string } | null = null,
): Promise<{ id: string; token: string }> {
  const user = created(await admin.post<{ id: string }>('/api/v1/users', { name: unique('user') }));
  if (membership !== null) {
    const path = `/api/v1/projects/${membership.projectId}/members/${user.id}`;
    await admin.put(path, { role: membership.role });
  }
  const issued = created(await admin.post<{ token: string }>(`/api/v1/users/${user.id}/tokens`, {}));
  return { id: user.id, token: issued.token };
}

function created<T>(answer: ApiAnswer<T>): T {
  if (answer.status === 201) return answer.body;
  throw new Error(`expected 201, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}
