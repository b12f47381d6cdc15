import { Inject, Injectable } from '@nestjs/common';

import {
  type DeploymentState,
  type EntityKind,
  type KeyState,
  type PublicationState,
  toDeploymentState,
} from '../coordinator-sync/index.js';
import { Database, type Queries } from '../storage/index.js';

interface Owned {
  readonly domain: string;
  readonly project_id: string;
  readonly updated_at: Date;
}

/** Everything one authority should have, as of one moment. */
export interface DesiredState {
  readonly publications: ReadonlyMap<string, PublicationState & Owned>;
  readonly keys: ReadonlyMap<string, KeyState & Owned & { readonly pushed_revision: string | null }>;
  readonly deployments: ReadonlyMap<string, DeploymentState & Owned>;
  /** What was removed on purpose, and when. */
  readonly removed: Readonly<Record<EntityKind, ReadonlyMap<string, Date>>>;
}

type JsonObject = Readonly<Record<string, unknown>> | null;

/** Reads the tables as the reconciler compares them. */
@Injectable()
export class DesiredStore {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Authorities that anything here belongs to, or belonged to when it was removed. */
  async authorities(): Promise<string[]> {
    const rows = await this.database.read(
      (db) => db.$queryRaw<{ authority: string }[]>`
        SELECT authority FROM model_publications UNION SELECT authority FROM deployments
        UNION SELECT authority FROM model_api_keys UNION SELECT authority FROM tombstones`,
    );
    return rows.map(({ authority }) => authority);
  }

  async read(authority: string): Promise<DesiredState> {
    return this.database.snapshot(async (tx) => ({
      publications: await publications(tx, authority),
      keys: await keys(tx, authority),
      deployments: await deployments(tx, authority),
      removed: await removed(tx, authority),
    }));
  }
}

async function publications(tx: Queries, authority: string) {
  const rows = await tx.modelPublication.findMany({
    where: { authority },
    include: { names: true, endpoints: true },
  });
  return new Map(rows.map((row) => [row.name, { ...row, policy: row.policy as JsonObject }]));
}

async function keys(tx: Queries, authority: string) {
  const rows = await tx.modelApiKey.findMany({ where: { authority, status: 'ACTIVE', suspended: false } });
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...row,
        allowed_models: row.allowed_models as string[],
        allowed_client_ips: row.allowed_client_ips as string[] | null,
        attributes: row.attributes as JsonObject,
      },
    ]),
  );
}

async function deployments(tx: Queries, authority: string) {
  const rows = await tx.deployment.findMany({
    where: { authority },
    include: { replica_groups: true, replicas: true },
  });
  return new Map(rows.map((row) => [row.id, toDeploymentState(row)]));
}

async function removed(tx: Queries, authority: string): Promise<DesiredState['removed']> {
  const rows = await tx.tombstone.findMany({ where: { authority } });
  const of = (kind: EntityKind) =>
    new Map(
      rows.filter((row) => row.kind === kind).map(({ entity_key, removed_at }) => [entity_key, removed_at]),
    );
  return { publication: of('publication'), 'api-key': of('api-key'), deployment: of('deployment') };
}
