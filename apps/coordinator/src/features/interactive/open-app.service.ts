import { WireError } from '@penstock/protocol';

import type { TokenSigner } from '../access/index.js';
import type { CircuitAnnouncer } from '../propagation/index.js';
import type { AppCircuitStore } from './adapters/app-circuit.store.js';
import type { TokenStore } from './adapters/token.store.js';
import type { OpenAppQuery } from './app-query.js';
import { setupUrl } from './domain/setup-url.js';

/** Where the user goes next. */
export interface OpenedApp {
  readonly redirect_url: string;
  /** Always false for TCP: clients expect to set such an app up anew. */
  readonly reuse: boolean;
}

/** From a handed-over session to the page of a worker that lets the user into one of its apps. */
export class OpenAppService {
  constructor(
    private readonly tokens: TokenStore,
    private readonly circuits: AppCircuitStore,
    private readonly announcer: CircuitAnnouncer,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * Nobody is sent to a worker before it acknowledged the circuit, also one that was there before.
   * @throws WireError 404 unknown token, 401 of another session, 503 no worker or none that answers, 409 port taken
   */
  async open(query: OpenAppQuery, traceparent?: string): Promise<OpenedApp> {
    this.signer.requireSecret();
    const token = await this.tokens.get(query.token);
    if (token.sessionId !== query.session_id) {
      throw WireError.invalidCredentials('E20007: Session ID mismatch');
    }
    const opened = await this.circuits.open(token, query);
    // A worker has no other way to learn of the circuit, and reused ones it may have lost in a restart of its own.
    await this.announcer.created([opened], traceparent);
    const { circuit, api, reused } = opened;
    const handOver = { id: token.id, version: 'v2', redirect: query.redirect, circuit: circuit.id };
    return {
      redirect_url: setupUrl(api, this.signer.sign(handOver)),
      reuse: reused && circuit.protocol !== 'tcp',
    };
  }
}
