import type { FieldError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import type { Deployment, ModelPublication } from '../../generated/prisma/client.js';
import { fieldProblems } from '../../problems.js';
import { hasRole, type Principal, requireRole, requireVisible } from '../access/index.js';
import type { AuditEntry } from '../audit/index.js';
import type { EntityRef } from '../coordinator-sync/index.js';
import type { Queries } from '../storage/index.js';
import { type PublicationRow, WITH_NAMES_AND_MAPPINGS } from './publication.view.js';
import type { MappingInput } from './publications.schemas.js';

type Owner = Pick<ModelPublication, 'id' | 'domain' | 'project_id' | 'authority'>;

export async function readPublication(
  db: Queries,
  principal: Principal,
  id: string,
): Promise<PublicationRow> {
  const row = await db.modelPublication.findUnique({ where: { id }, include: WITH_NAMES_AND_MAPPINGS });
  return requireVisible(principal, row, 'publication');
}

/** Locks the row, so that changes of one publication happen one after the other. */
export async function lockPublication(
  tx: Queries,
  principal: Principal,
  id: string,
): Promise<PublicationRow> {
  await tx.$queryRaw`SELECT id FROM model_publications WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await readPublication(tx, principal, id);
  requireRole(principal, row.project_id, 'member');
  return row;
}

/** @throws AppError `publication.name_taken` naming each field whose name another publication has */
export async function requireFreeNames(
  tx: Queries,
  owner: Owner,
  wanted: readonly { readonly field: string; readonly name: string }[],
): Promise<void> {
  const rows = await tx.modelPublicationName.findMany({
    where: {
      authority: owner.authority,
      name: { in: wanted.map(({ name }) => name) },
      publication_id: { not: owner.id },
    },
  });
  const taken = new Set(rows.map(({ name }) => name));
  const problems = wanted.filter(({ name }) => taken.has(name)).map(({ field }) => takenName(field));
  if (problems.length > 0) throw fieldProblems(problems, 'publication.name_taken');
}

function takenName(field: string): FieldError {
  return { field, message: 'Another publication of this authority has this name.' };
}

/**
 * A mapped deployment must exist, be one the caller may use, and be served by the publication's authority.
 * @throws AppError naming each field at fault
 */
export async function requireMappable(
  tx: Queries,
  principal: Principal,
  authority: string,
  mappings: readonly MappingInput[],
  alreadyMapped: ReadonlySet<string> = new Set(),
): Promise<void> {
  const rows = await holdDeployments(
    tx,
    mappings.map(({ deployment_id }) => deployment_id),
  );
  const usable = new Map(
    rows.filter((row) => hasRole(principal, row.project_id, 'member')).map((row) => [row.id, row]),
  );
  const fields = mappings
    .map(({ deployment_id }, index) => ({
      field: `mappings.${index}.deployment_id`,
      id: deployment_id,
      row: usable.get(deployment_id),
    }))
    .filter(({ id }) => !alreadyMapped.has(id));
  const missing = fields.filter(({ row }) => row === undefined);
  if (missing.length > 0) {
    throw fieldProblems(missing.map(({ field }) => ({ field, message: 'There is no such deployment.' })));
  }
  const internal = fields.filter(({ row }) => row?.visibility === 'internal');
  if (internal.length > 0) {
    const message = 'The deployment is internal: publishing it would open it to everybody with a key.';
    throw fieldProblems(
      internal.map(({ field, id }) => ({ field, message: `${message} (${id})` })),
      'publication.internal_deployment',
    );
  }
  const foreign = fields.filter(({ row }) => row?.authority !== authority);
  if (foreign.length > 0) {
    const message = `The deployment is served by another authority than ${authority}.`;
    throw fieldProblems(
      foreign.map(({ field }) => ({ field, message })),
      'publication.wrong_authority',
    );
  }
}

/** Until the end of the transaction none of them turns internal or goes away. */
async function holdDeployments(tx: Queries, ids: readonly string[]): Promise<Deployment[]> {
  await tx.$queryRaw`SELECT id FROM deployments WHERE id = ANY(${[...ids]}::uuid[]) ORDER BY id FOR SHARE`;
  return tx.deployment.findMany({ where: { id: { in: [...ids] } } });
}

/** Rows of aliases that stay are kept: whoever issues a key holds them, and must not find them gone for a moment. */
export async function writeAliases(tx: Queries, owner: Owner, aliases: readonly string[]): Promise<void> {
  const aliasesOf = { publication_id: owner.id, is_primary: false };
  await tx.modelPublicationName.deleteMany({ where: { ...aliasesOf, name: { notIn: [...aliases] } } });
  const kept = await tx.modelPublicationName.findMany({ where: aliasesOf });
  const byName = new Map(kept.map((row) => [row.name, row]));
  for (const [index, name] of aliases.entries()) {
    const row = byName.get(name);
    const position = index + 1;
    if (row === undefined) await tx.modelPublicationName.create({ data: nameRow(owner, name, position) });
    else if (row.position !== position) {
      await tx.modelPublicationName.update({ where: { id: row.id }, data: { position } });
    }
  }
}

/** Position 0 is the primary name. */
export function nameRow({ id, domain, project_id, authority }: Owner, name: string, position: number) {
  return {
    id: newId(),
    publication_id: id,
    domain,
    project_id,
    authority,
    name,
    position,
    is_primary: position === 0,
  };
}

export async function writeMappings(
  tx: Queries,
  { id, domain, project_id }: Owner,
  mappings: readonly MappingInput[],
): Promise<void> {
  await tx.modelPublicationEndpoint.deleteMany({ where: { publication_id: id } });
  await tx.modelPublicationEndpoint.createMany({
    data: mappings.map(({ deployment_id, ratio }, position) => ({
      id: newId(),
      publication_id: id,
      endpoint_id: deployment_id,
      domain,
      project_id,
      ratio,
      position,
    })),
  });
}

export function publicationRef(row: ModelPublication): EntityRef {
  return {
    authority: row.authority,
    kind: 'publication',
    entityKey: row.name,
    domain: row.domain,
    projectId: row.project_id,
  };
}

export function publicationAudit(
  action: string,
  row: ModelPublication,
  changes: Readonly<Record<string, unknown>> = {},
): AuditEntry {
  return {
    action,
    targetKind: 'publication',
    targetId: row.id,
    targetName: row.name,
    domain: row.domain,
    projectId: row.project_id,
    changes,
  };
}
