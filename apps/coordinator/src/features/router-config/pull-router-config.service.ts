import { etagMatches, revisionEtag, WireError, type RouterConfig } from '@penstock/protocol';

import type { Database } from '../../persistence/index.js';
import { readApiKeys } from '../api-keys/index.js';
import { readPublications } from '../publications/index.js';
import { SharedReads } from './shared-reads.js';

export interface KnownRevision {
  readonly knownRevision: string | null;
  readonly ifNoneMatch: string | undefined;
}

export type PullAnswer =
  | { readonly kind: 'unchanged'; readonly etag: string }
  | { readonly kind: 'config'; readonly etag: string; readonly json: Buffer };

interface Configuration {
  readonly revision: bigint;
  readonly answer: PullAnswer;
}

/** What a worker that is no router gets: nothing, under a revision no router ever has content for. */
const NOTHING: RouterConfig = { revision: '0', models: [], api_keys: [] };

interface RevisionRow {
  readonly authority: string;
  readonly frontend_mode: string;
  readonly revision: bigint | null;
}

/** Hands routers their publications and keys, or tells them that they have them. Never log what it returns. */
export class PullRouterConfigService {
  private readonly reads = new SharedReads<Configuration>((authority) => this.read(authority));

  constructor(private readonly database: Database) {}

  /** @throws WireError 404 unknown worker */
  async pull(workerId: string, known: KnownRevision): Promise<PullAnswer> {
    const { authority, frontendMode, revision: current } = await this.find(workerId);
    if (frontendMode !== 'router') return answer(NOTHING);
    if (known.knownRevision === current || etagMatches(known.ifNoneMatch, current)) {
      return { kind: 'unchanged', etag: revisionEtag(current) };
    }
    return (await this.reads.atLeast(authority, BigInt(current))).answer;
  }

  /** The worker and its revision row, nothing more: this is all that a pull without news costs. */
  private async find(
    workerId: string,
  ): Promise<{ authority: string; frontendMode: string; revision: string }> {
    const [row] = await this.database.query(
      (db) => db.$queryRaw<RevisionRow[]>`
        SELECT w.authority, w.frontend_mode, a.revision
        FROM workers w LEFT JOIN router_authorities a ON a.worker_authority = w.authority
        WHERE w.id = ${workerId}::uuid`,
    );
    if (!row) throw WireError.objectNotFound('worker');
    const { authority, frontend_mode: frontendMode, revision } = row;
    return { authority, frontendMode, revision: (revision ?? 0n).toString() };
  }

  /** Revision and content of one moment: a revision that promised more than its content would hide a change for good. */
  private async read(authority: string): Promise<Configuration> {
    const config = await this.database.snapshot(async (db) => {
      const row = await db.routerAuthority.findUnique({ where: { workerAuthority: authority } });
      return {
        revision: (row?.revision ?? 0n).toString(),
        models: await readPublications(db, authority),
        api_keys: await readApiKeys(db, authority),
      };
    });
    return { revision: BigInt(config.revision), answer: answer(config) };
  }
}

/** Written once for all who share it: with many keys the text is megabytes. */
function answer(config: RouterConfig): PullAnswer {
  const json = Buffer.from(JSON.stringify(config));
  return { kind: 'config', etag: revisionEtag(config.revision), json };
}
