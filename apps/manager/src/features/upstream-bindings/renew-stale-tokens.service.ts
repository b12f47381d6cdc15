import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@penstock/observability';

import type { UpstreamBinding } from '../../generated/prisma/client.js';
import { LOGGER } from '../../telemetry.js';
import { Database } from '../storage/index.js';
import { TOKEN_CIPHER } from './bindings-options.js';
import { sealedOf } from './bindings.store.js';
import { circuitOfToken } from './domain/circuit-of-token.js';
import type { TokenCipher } from './domain/token-cipher.js';

/**
 * A token is for one circuit, and an endpoint that had to be created again (the coordinator lost its database) has
 * another: no router takes the old token any more, however long it lives. Such a token is due at once, and so is one
 * that cannot be read.
 */
@Injectable()
export class RenewStaleTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @param circuits - the circuit of each deployment that is known to have one */
  async renew(circuits: ReadonlyMap<string, string>): Promise<void> {
    const rows = await this.database.read((db) =>
      db.upstreamBinding.findMany({
        where: { token_ciphertext: { not: null } },
        include: { deployment: { select: { upstream_deployment_id: true } } },
      }),
    );
    const stale = rows.filter((row) =>
      this.#isStale(row, circuits.get(row.deployment.upstream_deployment_id ?? '')),
    );
    if (stale.length > 0) await this.#makeDue(stale.map((row) => row.deployment_id));
  }

  /** A text that was damaged does not open with the key it names either. */
  #isStale(row: UpstreamBinding, circuit: string | undefined): boolean {
    const sealed = sealedOf(row);
    if (sealed === null || this.cipher === null) return false;
    const token = this.cipher.open(sealed, row.deployment_id);
    if (token === null) return true;
    const named = circuitOfToken(token);
    return circuit !== undefined && named !== null && named !== circuit;
  }

  /** A token that was replaced meanwhile is replaced once more, which harms nobody. */
  async #makeDue(deployments: readonly string[]): Promise<void> {
    this.logger.warn({ deployments }, 'upstream tokens that nobody takes or opens any more are minted anew');
    await this.database.read(
      (db) => db.$executeRaw`
        UPDATE upstream_bindings SET next_rotation_at = now()
        WHERE deployment_id = ANY(${[...deployments]}::uuid[]) AND attempts = 0`,
    );
  }
}
