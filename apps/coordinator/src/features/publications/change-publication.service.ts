import {
  EVENT_NAMES,
  type DeleteResponse,
  type ListModelsResponse,
  type PutModelBody,
  type PutModelResponse,
} from '@penstock/protocol';

import type { Authority } from '../authorities/index.js';
import { unchangedPropagation, type AnnounceChangeService } from '../propagation/index.js';
import type { PublicationStore } from './adapters/publication.store.js';

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
      ...announcement(authority, model, 'updated', traceparent),
      event: { name: EVENT_NAMES.routerModelUpdated, authority: name, model: publication, revision },
    });
    return { model: publication, propagation };
  }

  /** Idempotent: a name that is not published is success, unchanged. */
  async remove(name: string, model: string, traceparent?: string): Promise<DeleteResponse> {
    const { authority, changed } = await this.store.remove(name, model);
    if (!changed) return { success: true, propagation: unchangedPropagation(authority.revision) };
    const { revision } = authority;
    const { propagation } = await this.announcer.announce({
      ...announcement(authority, model, 'removed', traceparent),
      event: { name: EVENT_NAMES.routerModelRemoved, authority: name, model_name: model, revision },
    });
    return { success: true, propagation };
  }
}

function announcement(
  { workerId, authority, legacyNodes, revision }: Authority,
  model: string,
  action: 'updated' | 'removed',
  traceparent: string | undefined,
) {
  return {
    worker: { id: workerId, authority, legacyNodes },
    change: { authority, entity: 'model', action, id: model, revision },
    changed: true,
    strict: false,
    traceparent,
  } as const;
}
