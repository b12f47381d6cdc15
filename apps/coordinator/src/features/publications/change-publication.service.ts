import {
  EVENT_NAMES,
  type DeleteResponse,
  type ListModelsResponse,
  type PutModelBody,
  type PutModelResponse,
} from '@penstock/protocol';

import { announcedChange, unchangedPropagation, type AnnounceChangeService } from '../propagation/index.js';
import type { PublicationStore } from './adapters/publication.store.js';

/** The first router that has it will do. */
const ONE_ACK = { changed: true, strict: false } as const;

/** Publish, change and unpublish: desired state first, then every router hears of it. */
export class ChangePublicationService {
  constructor(
    private readonly store: PublicationStore,
    private readonly announcer: AnnounceChangeService,
  ) {}

  async list(name: string): Promise<ListModelsResponse> {
    const { authority, publications } = await this.store.list(name);
    return { authority: authority.authority, revision: authority.revision, models: publications };
  }

  async put(
    name: string,
    model: string,
    body: PutModelBody,
    traceparent?: string,
  ): Promise<PutModelResponse> {
    const { authority, publication, changed } = await this.store.put(name, model, body);
    if (!changed) return { model: publication, propagation: unchangedPropagation(authority.revision) };
    const { revision } = authority;
    const { propagation } = await this.announcer.announce({
      ...announcedChange(authority, { entity: 'model', action: 'updated', id: model }),
      event: { name: EVENT_NAMES.routerModelUpdated, authority: name, model: publication, revision },
      ...ONE_ACK,
      traceparent,
    });
    return { model: publication, propagation };
  }

  /** Idempotent: a name that is not published is success, unchanged. */
  async remove(name: string, model: string, traceparent?: string): Promise<DeleteResponse> {
    const { authority, changed } = await this.store.remove(name, model);
    if (!changed) return { success: true, propagation: unchangedPropagation(authority.revision) };
    const { revision } = authority;
    const { propagation } = await this.announcer.announce({
      ...announcedChange(authority, { entity: 'model', action: 'removed', id: model }),
      event: { name: EVENT_NAMES.routerModelRemoved, authority: name, model_name: model, revision },
      ...ONE_ACK,
      traceparent,
    });
    return { success: true, propagation };
  }
}
