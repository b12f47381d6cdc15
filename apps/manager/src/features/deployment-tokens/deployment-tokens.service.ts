import { createHash } from 'node:crypto';

import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import type { Deployment, DeploymentToken } from '../../generated/prisma/client.js';
import { newId } from '../../new-id.js';
import { fieldProblem, notFound } from '../../problems.js';
import { type Principal, type RequestContext, requireRole, userSees } from '../access/index.js';
import { ChangeService } from '../changes/index.js';
import { CoordinatorError, type TokenWish } from '../coordinator-sync/index.js';
import { deploymentAudit, deploymentRef, readDeploymentRow } from '../deployment-rows/index.js';
import { type Page, pageById, toPage } from '../listing/index.js';
import { Database, type Queries } from '../storage/index.js';
import type { DeploymentTokenParams, DeploymentTokenQuery, MintToken } from './deployment-tokens.schemas.js';
import { MintTokenService } from './mint-token.service.js';
import { chooseExpiry, TOKEN_LIFETIMES, type TokenLifetimes } from './token-lifetimes.js';

/** Code of a coordinator that lacks a setting; for this call it is `jwt_secret`. */
const MISCONFIGURED = 'E00001';

/** Mints, lists and forgets access tokens of deployments. */
@Injectable()
export class DeploymentTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(ChangeService) private readonly changes: ChangeService,
    @Inject(MintTokenService) private readonly minter: MintTokenService,
    @Inject(TOKEN_LIFETIMES) private readonly lifetimes: TokenLifetimes,
  ) {}

  /** The token is in this one answer; only its hash is kept. @throws AppError `coordinator.unavailable` */
  async mint(context: RequestContext, id: string, input: MintToken): Promise<TokenView & { token: string }> {
    const userId = input.user_id ?? context.principal.userId;
    const expiresAt = chooseExpiry(input.expires_at, this.lifetimes, new Date());
    const deployment = await this.database.read((db) => mintable(db, context.principal, id, userId));
    const token = await this.#sign(deployment, { userId, expiresAt });
    return this.changes.applyLocally(context, async (tx) => {
      // Again: roles and the deployment may have gone while the coordinator was asked.
      await mintable(tx, context.principal, id, userId);
      const row = await tx.deploymentToken.create({ data: rowOf(deployment, userId, expiresAt, token) });
      return {
        view: { ...toView(row), token },
        audit: [deploymentAudit('deployment.mint-token', deployment, toView(row))],
      };
    });
  }

  async list(principal: Principal, id: string, query: DeploymentTokenQuery): Promise<Page<TokenView>> {
    const { after, take } = pageById(query);
    const owned = query.user_id === undefined ? {} : { session_owner: query.user_id };
    const rows = await this.database.read(async (db) => {
      await readDeploymentRow(db, principal, id);
      const where = { AND: [{ deployment_id: id }, owned, after] };
      return db.deploymentToken.findMany({ where, orderBy: { id: 'asc' }, take });
    });
    return toPage(rows, query.limit, (row) => row.id, toView);
  }

  /** Forgets that it was minted. It stays good until it expires, because nothing on a request's path asks here. */
  async remove(context: RequestContext, { id, tokenId }: DeploymentTokenParams): Promise<TokenView> {
    const { principal } = context;
    return this.changes.applyLocally(context, async (tx) => {
      const deployment = await readDeploymentRow(tx, principal, id);
      const row = await tx.deploymentToken.findFirst({ where: { id: tokenId, deployment_id: id } });
      if (row === null) throw notFound('token');
      requireRole(
        principal,
        deployment.project_id,
        row.session_owner === principal.userId ? 'member' : 'admin',
      );
      await tx.deploymentToken.delete({ where: { id: row.id } });
      const audit = [deploymentAudit('deployment.delete-token', deployment, toView(row))];
      return { view: toView(row), audit };
    });
  }

  async #sign(deployment: Deployment, wish: TokenWish): Promise<string> {
    try {
      return await this.minter.mint(deploymentRef(deployment), wish);
    } catch (error) {
      if (error instanceof CoordinatorError) throw explain(error);
      throw error;
    }
  }
}

/** A token acts for its user, so only an administrator of the project may mint one for somebody else. */
async function mintable(db: Queries, principal: Principal, id: string, userId: string): Promise<Deployment> {
  const deployment = await readDeploymentRow(db, principal, id);
  const own = userId === principal.userId;
  requireRole(principal, deployment.project_id, own ? 'member' : 'admin');
  if (!own && !(await userSees(db, userId, deployment.project_id))) {
    throw fieldProblem('user_id', 'The project has no such member.');
  }
  return deployment;
}

function explain(cause: CoordinatorError): AppError {
  if (cause.message.includes(MISCONFIGURED)) {
    const message = 'The coordinator has no jwt_secret, so it cannot mint tokens.';
    return new AppError('coordinator.refused', message, { cause });
  }
  if (cause.kind === 'refused') {
    return new AppError('coordinator.refused', 'The coordinator does not mint this token.', { cause });
  }
  const message =
    cause.status === 404
      ? 'The coordinator does not have this deployment yet: no worker has taken it. Try again shortly.'
      : 'Only the coordinator can mint a token, and it cannot be asked now. Try again shortly.';
  return new AppError('coordinator.unavailable', message, { cause, retryAfterSeconds: 2 });
}

function rowOf(deployment: Deployment, userId: string, expiresAt: Date, token: string) {
  return {
    id: newId(),
    deployment_id: deployment.id,
    domain: deployment.domain,
    project_id: deployment.project_id,
    session_owner: userId,
    token_hash: createHash('sha256').update(token, 'utf8').digest('hex'),
    expires_at: expiresAt,
  };
}

type TokenView = ReturnType<typeof toView>;

function toView({ id, deployment_id, session_owner, expires_at, created_at }: DeploymentToken) {
  return { id, deployment_id, user_id: session_owner, expires_at, created_at };
}
