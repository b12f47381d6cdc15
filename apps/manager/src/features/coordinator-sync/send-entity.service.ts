import { Inject, Injectable } from '@nestjs/common';
import type { DeleteResponse, PutModelBody, PutModelResponse, StrictResult } from '@penstock/protocol';

import { COORDINATOR_CLIENT, type CoordinatorClient } from './coordinator-client.port.js';
import { CoordinatorError } from './coordinator.error.js';
import type { EntityRef } from './domain/entity-ref.js';
import { FreeNamesService } from './free-names.service.js';
import { ofCircuit, ofSteps, type Propagation } from './domain/propagation.js';
import { toEndpointItem, toRoutesItem } from './domain/wire-deployment.js';
import { toPutKeyBody } from './domain/wire-key.js';
import { toPutModelBody } from './domain/wire-publication.js';
import type { SendOptions } from './send-options.js';
import { StateReader } from './state-reader.js';

export interface Sent {
  readonly propagation: Propagation;
  readonly strict?: StrictResult;
}

/**
 * Brings the coordinator's copy of one entity to what the tables say now: its full state, or its absence. Repeating
 * it is harmless.
 */
@Injectable()
export class SendEntityService {
  constructor(
    @Inject(StateReader) private readonly states: StateReader,
    @Inject(COORDINATOR_CLIENT) private readonly coordinator: CoordinatorClient,
    @Inject(FreeNamesService) private readonly names: FreeNamesService,
  ) {}

  /** @throws CoordinatorError */
  async send(ref: EntityRef, options: SendOptions): Promise<Sent> {
    switch (ref.kind) {
      case 'deployment':
        return this.#sendDeployment(ref, options);
      case 'publication':
        return this.#sendPublication(ref, options);
      case 'api-key':
        return this.#sendKey(ref, options);
    }
  }

  async #sendDeployment(ref: EntityRef, options: SendOptions): Promise<Sent> {
    const state = await this.states.deployment(ref.entityKey);
    if (state === null) {
      return { propagation: ofCircuit(await this.coordinator.removeDeployment(ref.entityKey, options)) };
    }
    if (state.visibility === 'internal' || state.allowed_client_ips !== null) {
      await this.#requireAccessFields(state.id, options);
    }
    const item = toEndpointItem(state);
    const { created, routed, url } = await this.coordinator.putDeployment(item, toRoutesItem(state), options);
    // Creating what exists answers the address from before the change; a new visibility means a new address.
    const moved = state.url_visibility !== null && state.url_visibility !== state.visibility;
    await this.states.noteUrl(state, moved ? await this.coordinator.urlOf(item, options) : url);
    return { propagation: ofSteps(created, routed) };
  }

  /** Fails closed: better no endpoint than an open one. */
  async #requireAccessFields(deploymentId: string, options: SendOptions): Promise<void> {
    if (await this.coordinator.knowsVisibility(deploymentId, options)) return;
    const message =
      'the coordinator knows no internal endpoints and no client addresses, and would open this one; upgrade it';
    throw new CoordinatorError('unavailable', message);
  }

  async #sendPublication(ref: EntityRef, options: SendOptions): Promise<Sent> {
    const state = await this.states.publication(ref.authority, ref.entityKey);
    const answer =
      state === null
        ? await this.coordinator.removeModel(ref.authority, ref.entityKey, options)
        : await this.#putModel(ref, toPutModelBody(state), options);
    return { propagation: fromWire(answer) };
  }

  /** Names move between publications, and their pushes come in any order: here the one that gained the name is first. */
  async #putModel(ref: EntityRef, body: PutModelBody, options: SendOptions): Promise<PutModelResponse> {
    const put = () => this.coordinator.putModel(ref.authority, ref.entityKey, body, options);
    try {
      return await put();
    } catch (error) {
      if (!(error instanceof CoordinatorError) || error.takenName === null) throw error;
      if (!(await this.names.free(ref, body.aliases, options))) throw error;
      return await put();
    }
  }

  async #sendKey(ref: EntityRef, options: SendOptions): Promise<Sent> {
    const key = await this.states.key(ref.entityKey);
    if (key === null) return this.#removeKey(ref, options);
    const answer = await this.coordinator.putKey(ref.authority, key.id, toPutKeyBody(key), options);
    await this.states.notePushed(key, answer.propagation.revision);
    return { propagation: fromWire(answer) };
  }

  async #removeKey(ref: EntityRef, options: SendOptions): Promise<Sent> {
    const answer = await this.coordinator.removeKey(
      ref.authority,
      ref.entityKey,
      options.strict ?? false,
      options,
    );
    return { propagation: fromWire(answer), ...(answer.strict != null && { strict: answer.strict }) };
  }
}

function fromWire({ propagation }: Pick<DeleteResponse, 'propagation'>): Propagation {
  return propagation.status === 'deferred' ? { ...propagation, reason: 'awaiting_ack' } : propagation;
}
