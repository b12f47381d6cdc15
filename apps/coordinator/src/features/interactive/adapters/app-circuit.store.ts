import type { RouteInfo } from '@penstock/protocol';

import { Prisma, type Token } from '../../../generated/prisma/client.js';
import { jsonColumn, type Database, type Executor } from '../../../persistence/index.js';
import { LIVENESS_SUBJECT, toCircuit } from '../../circuits/index.js';
import { PlacementBoard, type CircuitWish, type Placed } from '../../placement/index.js';
import type { HostedCircuit } from '../../propagation/index.js';
import type { OpenAppQuery } from '../app-query.js';
import { carrierOf } from '../domain/carrier-protocol.js';
import type { WorkerApi } from '../domain/setup-url.js';

/** The circuit a user is sent to. */
export interface AppCircuit extends HostedCircuit {
  readonly api: WorkerApi;
  /** False when it was made for this call. */
  readonly reused: boolean;
}

const WORKER = {
  ...LIVENESS_SUBJECT,
  hostname: true,
  apiPort: true,
  tlsListen: true,
  tlsAdvertised: true,
} as const;

/** Circuits of interactive apps: one per session, app and rule of access, unless a caller wants one of its own. */
export class AppCircuitStore {
  constructor(private readonly database: Database) {}

  /** @throws WireError 503 no worker carries the app, 409 the wanted port is taken */
  async open(token: Token, query: OpenAppQuery): Promise<AppCircuit> {
    const known = query.no_reuse ? null : await this.database.transact((db) => reopen(db, token, query));
    if (known) return known;
    return this.database.transact(async (db) => {
      const board = await PlacementBoard.open(db);
      // Whoever held the board before may have opened the same app.
      const opened = query.no_reuse ? null : await reopen(db, token, query);
      if (opened) return opened;
      return insert(db, token, query, await board.place(toWish(token, query)));
    });
  }
}

/** A circuit whose worker is lost is passed over: it would lead nowhere. The protocol is not compared. */
async function reopen(db: Executor, token: Token, query: OpenAppQuery): Promise<AppCircuit | null> {
  const [found] = await db.$queryRaw<{ readonly id: string }[]>`
    SELECT circuits.id::text FROM circuits JOIN workers ON workers.id = worker_id AND status = 'ALIVE'
    WHERE app_mode = 'interactive' AND session_ids @> ARRAY[${token.sessionId}::uuid] AND app = ${query.app}
      AND open_to_public = ${query.open_to_public}
      AND allowed_client_ips IS NOT DISTINCT FROM ${query.allowed_client_ips}
    ORDER BY circuits.created_at, circuits.id LIMIT 1 FOR UPDATE OF circuits`;
  if (!found) return null;
  // The collector of unused circuits goes by this.
  const row = await db.circuit.update({
    where: { id: found.id },
    data: { updatedAt: new Date() },
    include: { worker: { select: WORKER } },
  });
  return { worker: row.worker, api: row.worker, circuit: toCircuit(row), reused: true };
}

async function insert(
  db: Executor,
  token: Token,
  query: OpenAppQuery,
  { worker, port, subdomain }: Placed,
): Promise<AppCircuit> {
  const row = await db.circuit.create({
    data: {
      app: query.app,
      protocol: carrierOf(query.protocol),
      workerId: worker.id,
      appMode: 'interactive',
      frontendMode: worker.frontendMode,
      envs: jsonColumn(query.envs),
      arguments: query.args,
      openToPublic: query.open_to_public,
      requiresToken: !query.open_to_public,
      allowedClientIps: query.allowed_client_ips,
      port,
      subdomain,
      userId: token.userUuid,
      sessionIds: [token.sessionId],
      routeInfo: jsonColumn([toRoute(token, query)]),
      replicaGroups: Prisma.DbNull,
    },
  });
  return { worker, api: worker, circuit: toCircuit(row), reused: false };
}

/** The kernel as the manager handed it over; it keeps the protocol that was asked for. */
function toRoute(token: Token, { protocol }: OpenAppQuery): RouteInfo {
  return {
    route_id: null,
    session_id: token.sessionId,
    session_name: null,
    kernel_host: token.kernelHost,
    kernel_port: token.kernelPort,
    protocol,
    traffic_ratio: 1,
  };
}

function toWish(token: Token, query: OpenAppQuery): CircuitWish {
  return {
    protocol: carrierOf(query.protocol),
    appMode: 'interactive',
    visibility: 'public',
    authority: null,
    existingUrl: null,
    preferredLabel: query.subdomain,
    preferredPort: query.port,
    properties: new Map([
      ['session.id', token.sessionId],
      ['session.user_uuid', token.userUuid],
      ['session.project_id', token.groupId],
      ['session.access_key', token.accessKey],
      ['session.domain_name', token.domainName],
    ]),
  };
}
