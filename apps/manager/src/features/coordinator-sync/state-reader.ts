import { Inject, Injectable } from '@nestjs/common';
import type { Visibility } from '@penstock/protocol';

import { Database } from '../storage/index.js';
import type { EntityRef } from './domain/entity-ref.js';
import type { DeploymentState } from './domain/wire-deployment.js';
import type { KeyState } from './domain/wire-key.js';
import type { PublicationState } from './domain/wire-publication.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** A key that belongs on the coordinator, with the mark that tells whether it changed since it was read. */
export interface LiveKey extends KeyState {
  readonly id: string;
  readonly updated_at: Date;
}

/** A publication and whose it is. */
export interface OwnedPublication extends PublicationState {
  readonly domain: string;
  readonly project_id: string;
}

/** Reads the current state of one entity, whole, as of one moment. Null: the coordinator must not have it. */
@Injectable()
export class StateReader {
  constructor(@Inject(Database) private readonly database: Database) {}

  async deployment(id: string): Promise<DeploymentState | null> {
    const row = await this.database.snapshot((tx) =>
      tx.deployment.findUnique({
        where: { id },
        include: { replica_groups: { orderBy: { id: 'asc' } }, replicas: { orderBy: { id: 'asc' } } },
      }),
    );
    return row === null ? null : toDeploymentState(row);
  }

  /** Notes the address that the coordinator named. It is its answer and not a change of the deployment. */
  async noteUrl({ id, visibility }: DeploymentState, url: string): Promise<void> {
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE deployments SET url = ${url}, url_visibility = ${visibility}
        WHERE id = ${id}::uuid AND visibility = ${visibility}
          AND (url, url_visibility) IS DISTINCT FROM (${url}, ${visibility})`,
    );
  }

  async publication(authority: string, name: string): Promise<OwnedPublication | null> {
    const row = await this.database.snapshot((tx) =>
      tx.modelPublication.findUnique({
        where: { authority_name: { authority, name } },
        include: { names: true, endpoints: true },
      }),
    );
    return row === null ? null : { ...row, policy: row.policy as JsonObject | null };
  }

  /** True for what was removed here on purpose. What never was here is somebody else's. */
  async wasRemoved({
    authority,
    kind,
    entityKey,
  }: Omit<EntityRef, 'domain' | 'projectId'>): Promise<boolean> {
    const id = { authority, kind, entity_key: entityKey };
    const row = await this.database.read((db) =>
      db.tombstone.findUnique({ where: { authority_kind_entity_key: id } }),
    );
    return row !== null;
  }

  /** A revoked key is gone; one that was shrunk to nothing is too, because an empty list might mean "everything". */
  async key(id: string): Promise<LiveKey | null> {
    const row = await this.database.read((db) => db.modelApiKey.findUnique({ where: { id } }));
    if (row === null || row.status !== 'ACTIVE' || row.suspended) return null;
    return {
      ...row,
      allowed_models: row.allowed_models as string[],
      allowed_client_ips: row.allowed_client_ips as string[] | null,
      attributes: row.attributes as JsonObject | null,
    };
  }

  /** Notes that the coordinator has exactly this row, unless the row changed since it was read. */
  async notePushed(key: LiveKey, revision: string): Promise<void> {
    await this.database.read((db) =>
      db.modelApiKey.updateMany({
        where: { id: key.id, updated_at: key.updated_at },
        // Written back as it was: the mark must not look like a change of the key.
        data: { pushed_revision: revision, updated_at: key.updated_at },
      }),
    );
  }
}

interface DeploymentRow extends Omit<
  DeploymentState,
  'capabilities' | 'policy' | 'visibility' | 'allowed_client_ips' | 'replicas'
> {
  readonly capabilities: unknown;
  readonly policy: unknown;
  readonly visibility: string;
  readonly allowed_client_ips: unknown;
  readonly replicas: readonly (Omit<DeploymentState['replicas'][number], 'accelerators'> & {
    readonly accelerators: unknown;
  })[];
}

/** The row as the wire is made of it; what the columns may hold was checked when it was written. */
export function toDeploymentState<R extends DeploymentRow>(row: R) {
  return {
    ...row,
    capabilities: row.capabilities as string[],
    policy: row.policy as JsonObject | null,
    visibility: row.visibility as Visibility,
    allowed_client_ips: row.allowed_client_ips as string[] | null,
    replicas: row.replicas.map((replica) => ({
      ...replica,
      accelerators: replica.accelerators as { model: string; count: number } | null,
    })),
  };
}
