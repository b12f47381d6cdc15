import { canonicalPublication, WireError, type Publication, type PutModelBody } from '@penstock/protocol';

import { jsonColumn, nullableJsonColumn, type Database, type Executor } from '../../../persistence/index.js';
import { bumpRevision, lockAuthority, readAuthority, type Authority } from '../../authorities/index.js';
import { planPublication } from '../domain/plan-publication.js';
import { refuseForeignEndpoints } from './refuse-foreign-endpoints.js';
import { refuseInternalPublication } from './refuse-internal-publication.js';

export interface PublicationChange {
  readonly authority: Authority;
  readonly publication: Publication;
  readonly changed: boolean;
}

/** Publications of an authority, in the shape of the wire. */
export class PublicationStore {
  constructor(private readonly database: Database) {}

  list(authority: string): Promise<{ authority: Authority; publications: Publication[] }> {
    return this.database.snapshot(async (db) => ({
      authority: await readAuthority(db, authority),
      publications: await readPublications(db, authority),
    }));
  }

  /** @throws WireError 404 unknown authority, 409 name taken or endpoint served elsewhere, 400 endpoint internal */
  put(authority: string, model: string, body: PutModelBody): Promise<PublicationChange> {
    return this.database.transact(async (db) => {
      const current = await lockAuthority(db, authority);
      const plan = planPublication(model, body, await readPublications(db, authority));
      if (plan.kind === 'conflict') throw WireError.modelNameConflict(plan.name);
      if (plan.kind === 'unchanged')
        return { authority: current, publication: plan.publication, changed: false };
      await refuseForeignEndpoints(db, authority, plan.publication);
      await refuseInternalPublication(db, plan.publication);
      await write(db, authority, plan.publication);
      const revision = await bumpRevision(db, authority);
      return { authority: { ...current, revision }, publication: plan.publication, changed: true };
    });
  }

  remove(authority: string, model: string): Promise<{ authority: Authority; changed: boolean }> {
    return this.database.transact(async (db) => {
      const current = await lockAuthority(db, authority);
      const where = { workerAuthority: authority, modelName: model };
      const { count } = await db.routerModel.deleteMany({ where });
      if (count === 0) return { authority: current, changed: false };
      return { authority: { ...current, revision: await bumpRevision(db, authority) }, changed: true };
    });
  }
}

/** All publications of an authority, by primary name. */
export async function readPublications(db: Executor, authority: string): Promise<Publication[]> {
  const rows = await db.routerModel.findMany({
    where: { workerAuthority: authority },
    orderBy: [{ createdAt: 'asc' }, { modelName: 'asc' }],
  });
  return rows.map((row) =>
    canonicalPublication({
      model: row.modelName,
      aliases: row.aliases as Publication['aliases'],
      mappings: row.mappings as Publication['mappings'],
      control_mode: row.controlMode,
      policy: row.policy as Publication['policy'],
    }),
  );
}

async function write(db: Executor, authority: string, publication: Publication): Promise<void> {
  const content = {
    aliases: jsonColumn(publication.aliases),
    mappings: jsonColumn(publication.mappings),
    controlMode: publication.control_mode,
    policy: nullableJsonColumn(publication.policy),
    updatedAt: new Date(),
  };
  const key = { workerAuthority: authority, modelName: publication.model };
  await db.routerModel.upsert({
    where: { workerAuthority_modelName: key },
    create: { ...key, ...content },
    update: content,
  });
}
