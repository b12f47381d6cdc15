import { circuitTokenClaims, WireError, type InternalFrontend, type TokenRequest } from '@penstock/protocol';

import type { Database } from '../../persistence/index.js';
import type { TokenSigner } from '../access/index.js';
import { toAddressed, toCircuit } from '../circuits/index.js';
import { endpointUrl } from '../placement/index.js';

/** Signs access to the circuit of an endpoint. */
export class MintTokenService {
  constructor(
    private readonly database: Database,
    private readonly signer: TokenSigner,
  ) {}

  /** An expiry in the past is signed as well. @throws WireError 404 no circuit, 500 no secret configured */
  async mint(endpointId: string, { user_uuid, exp }: TokenRequest): Promise<string> {
    const row = await this.database.query((db) =>
      db.circuit.findUnique({ where: { endpointId }, include: { worker: true } }),
    );
    if (!row) throw WireError.objectNotFound('circuit');
    const internalFrontend = row.worker.internalFrontend as InternalFrontend | null;
    const url = endpointUrl({ ...row.worker, internalFrontend }, toAddressed(row));
    return this.signer.sign(
      circuitTokenClaims(toCircuit(row), {
        appUrl: url.replace(/\/$/, ''),
        userId: user_uuid,
        exp: Math.floor(Date.parse(exp) / 1000),
      }),
    );
  }
}
