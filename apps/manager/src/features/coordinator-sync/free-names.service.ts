import { Inject, Injectable } from '@nestjs/common';
import type { Publication } from '@penstock/protocol';

import { COORDINATOR_CLIENT, type CoordinatorClient } from './coordinator-client.port.js';
import type { EntityRef } from './domain/entity-ref.js';
import { toPutModelBody } from './domain/wire-publication.js';
import type { SendOptions } from './send-options.js';
import { type OwnedPublication, StateReader } from './state-reader.js';

/**
 * Takes names away from publications that still have them on the coordinator and no longer have them here. Without
 * it two publications that exchanged names while the coordinator was away would each wait for the other.
 */
@Injectable()
export class FreeNamesService {
  constructor(
    @Inject(StateReader) private readonly states: StateReader,
    @Inject(COORDINATOR_CLIENT) private readonly coordinator: CoordinatorClient,
  ) {}

  /**
   * @param ref - the publication that is to have its own name and `aliases`
   * @returns false when a name is held by a publication that is none of ours; then nothing of it is touched
   * @throws CoordinatorError
   */
  async free(ref: EntityRef, aliases: readonly string[], options: SendOptions): Promise<boolean> {
    const wanted = new Set([ref.entityKey, ...aliases]);
    const { models } = await this.coordinator.listModels(ref.authority, options);
    const holders = models.filter(({ model }) => model !== ref.entityKey).filter((one) => holds(one, wanted));
    for (const holder of holders) {
      if (!(await this.#release(ref.authority, holder, options))) return false;
    }
    return true;
  }

  async #release(authority: string, holder: Publication, options: SendOptions): Promise<boolean> {
    const { model } = holder;
    const state = await this.states.publication(authority, model);
    if (state !== null) {
      await this.#shorten(authority, holder, state, options);
      return true;
    }
    const ours = await this.states.wasRemoved({ authority, kind: 'publication', entityKey: model });
    if (ours) await this.coordinator.removeModel(authority, model, options);
    return ours;
  }

  /** Its newest state, less the names it does not hold yet: those might in turn be held by others. */
  async #shorten(
    authority: string,
    holder: Publication,
    state: OwnedPublication,
    options: SendOptions,
  ): Promise<void> {
    const body = toPutModelBody(state);
    const aliases = body.aliases.filter((alias) => holder.aliases.includes(alias));
    await this.coordinator.putModel(authority, holder.model, { ...body, aliases }, options);
    const { domain, project_id: projectId } = state;
    await options.onDisplaced?.({
      authority,
      kind: 'publication',
      entityKey: holder.model,
      domain,
      projectId,
    });
  }
}

function holds({ model, aliases }: Publication, wanted: ReadonlySet<string>): boolean {
  return [model, ...aliases].some((name) => wanted.has(name));
}
