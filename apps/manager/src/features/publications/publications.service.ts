import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import { newId } from '../../new-id.js';
import { DEFAULT_AUTHORITY } from '../../default-authority.js';
import { fieldProblem, onDuplicate } from '../../problems.js';
import { canSee, type Principal, projectFilter, type RequestContext, requireRole } from '../access/index.js';
import { type Change, ChangeService, type Propagated } from '../changes/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { pruneGrants } from '../model-api-keys/index.js';
import { Database, jsonColumn, type Queries } from '../storage/index.js';
import { editsRatios } from './domain/ratio-edit.js';
import {
  lockPublication,
  nameRow,
  publicationAudit,
  publicationRef,
  readPublication,
  requireFreeNames,
  requireMappable,
  writeAliases,
  writeMappings,
} from './publication-rows.js';
import {
  mappingsOf,
  type PublicationRow,
  publicationView,
  type PublicationView,
  WITH_NAMES_AND_MAPPINGS,
} from './publication.view.js';
import type { CreatePublication, PatchPublication, PublicationQuery } from './publications.schemas.js';

/** Names under which clients call models, and the deployments each leads to. */
@Injectable()
export class PublicationsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(DEFAULT_AUTHORITY) private readonly defaultAuthority: string,
  ) {}

  async create(context: RequestContext, input: CreatePublication): Promise<Propagated<PublicationView>> {
    const { principal } = context;
    if (!canSee(principal, input.project_id)) throw fieldProblem('project_id', 'There is no such project.');
    requireRole(principal, input.project_id, 'member');
    const creation = this.changes.apply(context, async (tx) => {
      const row = await insert(tx, principal, input, input.authority ?? this.defaultAuthority);
      return {
        view: publicationView(row),
        audit: [publicationAudit('publication.create', row, { ...input })],
        dirty: [{ ref: publicationRef(row), removed: false }],
      };
    });
    return creation.catch(onDuplicate(() => nameTaken('name')));
  }

  async get(principal: Principal, id: string): Promise<PublicationView> {
    return publicationView(await this.database.read((db) => readPublication(db, principal, id)));
  }

  async list(principal: Principal, query: PublicationQuery): Promise<Page<PublicationView>> {
    const { limit, cursor, name, deployment_id, ...filters } = query;
    const { after, take } = pageById({ limit, cursor });
    const named = name === undefined ? {} : { names: { some: { name } } };
    const mapped = deployment_id === undefined ? {} : { endpoints: { some: { endpoint_id: deployment_id } } };
    const rows = await this.database.read((db) =>
      db.modelPublication.findMany({
        where: { AND: [projectFilter(principal), filters, named, mapped, after] },
        include: WITH_NAMES_AND_MAPPINGS,
        orderBy: { id: 'asc' },
        take,
      }),
    );
    return toPage(rows, limit, (row) => row.id, publicationView);
  }

  async patch(
    context: RequestContext,
    id: string,
    input: PatchPublication,
  ): Promise<Propagated<PublicationView>> {
    const change = this.changes.apply(context, (tx) => patch(tx, context.principal, id, input));
    return change.catch(onDuplicate(() => nameTaken('aliases')));
  }

  /** Its names are free again, and no key keeps a grant for what somebody else may publish under them. */
  async remove(context: RequestContext, id: string): Promise<Propagated<{ id: string }>> {
    return this.changes.apply(context, async (tx) => {
      const row = await lockPublication(tx, context.principal, id);
      await tx.modelPublication.delete({ where: { id } });
      const pruned = await pruneGrants(
        tx,
        row.authority,
        row.names.map(({ name }) => name),
      );
      return {
        view: { id },
        audit: [publicationAudit('publication.delete', row), ...pruned.audit],
        dirty: [{ ref: publicationRef(row), removed: true }, ...pruned.dirty],
      };
    });
  }
}

async function insert(
  tx: Queries,
  principal: Principal,
  input: CreatePublication,
  authority: string,
): Promise<PublicationRow> {
  const project = await tx.project.findUnique({ where: { id: input.project_id } });
  if (project === null) throw fieldProblem('project_id', 'There is no such project.');
  const owner = { id: newId(), domain: project.domain, project_id: project.id, authority };
  await requireFreeNames(tx, owner, [{ field: 'name', name: input.name }, ...aliasFields(input.aliases)]);
  await requireMappable(tx, principal, authority, input.mappings);
  await tx.modelPublication.create({
    data: {
      ...owner,
      name: input.name,
      control_mode: input.control_mode,
      policy: jsonColumn(input.policy),
      created_user: principal.userId,
    },
  });
  await tx.modelPublicationName.create({ data: nameRow(owner, input.name, 0) });
  await writeAliases(tx, owner, input.aliases);
  await writeMappings(tx, owner, input.mappings);
  return readPublication(tx, principal, owner.id);
}

async function patch(
  tx: Queries,
  principal: Principal,
  id: string,
  input: PatchPublication,
): Promise<Change<PublicationView>> {
  const before = await lockPublication(tx, principal, id);
  const { aliases, mappings, control_mode, policy } = input;
  if (mappings !== undefined) await changeMappings(tx, principal, before, input);
  if (aliases !== undefined) await changeAliases(tx, before, aliases);
  await tx.modelPublication.update({
    where: { id },
    data: {
      updated_at: new Date(),
      ...(control_mode !== undefined && { control_mode }),
      ...(policy !== undefined && { policy: jsonColumn(policy) }),
    },
  });
  const row = await readPublication(tx, principal, id);
  const kept = new Set(row.names.map(({ name }) => name));
  const gone = before.names.map(({ name }) => name).filter((name) => !kept.has(name));
  const pruned = await pruneGrants(tx, before.authority, gone);
  return {
    view: publicationView(row),
    audit: [publicationAudit('publication.update', row, { ...input }), ...pruned.audit],
    dirty: [{ ref: publicationRef(row), removed: false }, ...pruned.dirty],
  };
}

async function changeMappings(
  tx: Queries,
  principal: Principal,
  before: PublicationRow,
  { mappings = [], control_mode }: PatchPublication,
): Promise<void> {
  const managed = before.control_mode !== 'manual' && control_mode !== 'manual';
  if (managed && editsRatios(mappingsOf(before), mappings)) {
    throw new AppError(
      'publication.ratio_managed',
      'A strategy sets the ratios of this publication. Set control_mode to manual to edit them.',
    );
  }
  // What is mapped already may stay, whoever may use it; only what is new is checked.
  const mapped = new Set(before.endpoints.map(({ endpoint_id }) => endpoint_id));
  await requireMappable(tx, principal, before.authority, mappings, mapped);
  await writeMappings(tx, before, mappings);
}

async function changeAliases(tx: Queries, before: PublicationRow, aliases: readonly string[]): Promise<void> {
  const index = aliases.indexOf(before.name);
  if (index !== -1) throw fieldProblem(`aliases.${index}`, 'This is the name itself.');
  await requireFreeNames(tx, before, aliasFields(aliases));
  await writeAliases(tx, before, aliases);
}

function aliasFields(aliases: readonly string[]) {
  return aliases.map((name, index) => ({ field: `aliases.${index}`, name }));
}

/** Two requests that take a name at the same moment: the constraint decides between them. */
function nameTaken(field: string): AppError {
  return fieldProblem(
    field,
    'Another publication of this authority has this name.',
    'publication.name_taken',
  );
}
