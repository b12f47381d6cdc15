import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@penstock/protocol';

import type { Deployment, UpstreamBinding } from '../../generated/prisma/client.js';
import { type Principal, requireVisible } from '../access/index.js';
import { addressOf } from '../deployment-rows/index.js';
import { Database } from '../storage/index.js';
import { TOKEN_CIPHER } from './bindings-options.js';
import { sealedOf } from './bindings.store.js';
import type { TokenCipher } from './domain/token-cipher.js';
import { SERVICE_ENVIRONMENT_SINK, type ServiceEnvironmentSink } from './service-environment-sink.port.js';

export interface ServiceEnvironment {
  readonly deployment_id: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly issued_at: Date | null;
  readonly expires_at: Date | null;
  readonly next_rotation_at: Date | null;
}

/** The variables a deployment's service runs with. The token in them is its owner's, so nobody else reads them. */
@Injectable()
export class ServiceEnvironmentService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(TOKEN_CIPHER) private readonly cipher: TokenCipher | null,
    @Inject(SERVICE_ENVIRONMENT_SINK) private readonly sink: ServiceEnvironmentSink | null,
  ) {}

  /** @throws AppError `auth.forbidden` for all but the owner; `upstream.token_pending` */
  async read(principal: Principal, id: string): Promise<ServiceEnvironment> {
    const row = await this.database.read((db) =>
      db.deployment.findUnique({ where: { id }, include: { upstream: true, binding: true } }),
    );
    const deployment = requireVisible(principal, row, 'deployment');
    if (deployment.created_by !== principal.userId) {
      throw new AppError('auth.forbidden', 'Only the owner of a deployment reads its service environment.');
    }
    const { upstream, binding } = deployment;
    if (upstream === null || binding === null) return environmentOf(id, {}, null);
    return environmentOf(id, this.#variables(upstream, binding), binding);
  }

  #variables(upstream: Deployment, binding: UpstreamBinding): Record<string, string> {
    const url = addressOf(upstream);
    if (url === null) throw pending('The coordinator has not given the upstream an address yet.');
    return {
      BACKENDAI_UPSTREAM_URL: url,
      BACKENDAI_UPSTREAM_TOKEN: this.#token(binding),
      ...(this.sink !== null && {
        BACKENDAI_UPSTREAM_TOKEN_FILE: this.sink.tokenFile(binding.deployment_id),
      }),
    };
  }

  #token(binding: UpstreamBinding): string {
    const sealed = sealedOf(binding);
    const token = sealed === null ? null : (this.cipher?.open(sealed, binding.deployment_id) ?? null);
    if (token === null) throw pending('The token of the upstream was not minted yet.');
    if ((binding.expires_at?.getTime() ?? 0) <= Date.now()) {
      throw pending('The token of the upstream has expired and was not replaced yet.');
    }
    return token;
  }
}

function pending(message: string): AppError {
  return new AppError('upstream.token_pending', message, { retryAfterSeconds: 2 });
}

function environmentOf(
  deployment_id: string,
  variables: Readonly<Record<string, string>>,
  binding: Pick<UpstreamBinding, 'issued_at' | 'expires_at' | 'next_rotation_at'> | null,
): ServiceEnvironment {
  const { issued_at = null, expires_at = null, next_rotation_at = null } = binding ?? {};
  return { deployment_id, variables, issued_at, expires_at, next_rotation_at };
}
