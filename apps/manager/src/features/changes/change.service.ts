import { Inject, Injectable } from '@nestjs/common';

import type { RequestContext } from '../access/index.js';
import { type AuditActor, type AuditEntry, SYSTEM_ACTOR, writeAudit } from '../audit/index.js';
import {
  deferred,
  type EntityRef,
  keyOf,
  type Propagation,
  type PushResult,
  UNPROVEN,
} from '../coordinator-sync/index.js';
import { IdempotencyStore, withoutSecrets } from '../idempotency/index.js';
import { type DirtyEntity, OutboxRelay, OutboxStore, PushEntityService } from '../outbox/index.js';
import { Database, type Queries } from '../storage/index.js';

/** What a use case did inside its transaction. */
export interface Change<V extends object> {
  /** The answer, without `propagation`. */
  readonly view: V;
  readonly audit: readonly AuditEntry[];
  /** Entities whose state changed; the first is the one whose propagation the caller gets. */
  readonly dirty?: readonly DirtyEntity[];
}

export interface ChangeOptions {
  /** Ask every live node to acknowledge the removal of the first entity. */
  readonly strict?: boolean;
}

export type Propagated<V> = V & { readonly propagation: Propagation };

/** How long a request waits for its change to be acknowledged. */
const PUSH_DEADLINE_MS = 16_000;

/** Secondary entities that are pushed by the request itself; the relay, told at once, takes the rest. */
const PUSHED_WITH_REQUEST_MAX = 16;

/**
 * The path of every mutation: rows, audit row, outbox entry and idempotency answer in one transaction; then the
 * request itself pushes to the coordinator and reports how far the change got.
 */
@Injectable()
export class ChangeService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(PushEntityService) private readonly pusher: PushEntityService,
    @Inject(OutboxRelay) private readonly relay: OutboxRelay,
    @Inject(IdempotencyStore) private readonly idempotency: IdempotencyStore,
  ) {}

  /** A change that the coordinator does not mirror. */
  async applyLocally<V extends object>(
    context: RequestContext,
    work: (tx: Queries) => Promise<Change<V>>,
  ): Promise<V> {
    const { view, dirty, versions } = await this.#commit(context, work);
    this.#pushInBackground(dirty, versions);
    return view;
  }

  /** A change of something the coordinator mirrors; `work` names it first in `dirty`. */
  async apply<V extends object>(
    context: RequestContext,
    work: (tx: Queries) => Promise<Change<V>>,
    options: ChangeOptions = {},
  ): Promise<Propagated<V>> {
    const { view, dirty, versions } = await this.#commit(context, work);
    const [primary, ...others] = dirty;
    if (primary === undefined) throw new Error('a propagated change names the entity that changed');
    this.#pushInBackground(others, versions);
    const pushed = await this.#pushWithin(primary.ref, versions.get(keyOf(primary.ref)), options);
    return {
      ...view,
      propagation: pushed.propagation,
      ...(pushed.strict !== undefined && { strict: pushed.strict }),
    };
  }

  /** A change that no request asked for; pushed in the background. */
  async applyAsSystem(work: (tx: Queries) => Promise<Change<object>>): Promise<void> {
    const { dirty, versions } = await this.database.transaction(async (tx) => {
      const change = await work(tx);
      await writeAudit(tx, SYSTEM_ACTOR, change.audit);
      const marked = change.dirty ?? [];
      return { dirty: marked, versions: await this.outbox.mark(tx, marked, null) };
    });
    this.#pushInBackground(dirty, versions);
  }

  async #commit<V extends object>(context: RequestContext, work: (tx: Queries) => Promise<Change<V>>) {
    return this.database.transaction(async (tx) => {
      const change = await work(tx);
      const dirty = change.dirty ?? [];
      await writeAudit(tx, actorOf(context), change.audit);
      const versions = await this.outbox.mark(tx, dirty, context.traceparent);
      await this.#storeAnswer(tx, context, change);
      return { view: change.view, dirty, versions };
    });
  }

  /** Until the push has ended, the honest answer to a repeated request is that the change is on its way. */
  async #storeAnswer(tx: Queries, context: RequestContext, change: Change<object>): Promise<void> {
    const slot = context.idempotency;
    if (slot === null) return;
    const propagation = change.dirty?.length ? { propagation: deferred('awaiting_ack', 0) } : {};
    const body = withoutSecrets({ ...change.view, ...propagation });
    const owner = { projectId: change.audit[0]?.projectId ?? null };
    await this.idempotency.complete(tx, slot.id, { status: slot.responseStatus, body }, owner);
  }

  async #pushWithin(
    ref: EntityRef,
    version: bigint | undefined,
    { strict = false }: ChangeOptions,
  ): Promise<PushResult> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<PushResult>((resolve) => {
      timer = setTimeout(
        () =>
          resolve({
            version: null,
            propagation: deferred('deadline', PUSH_DEADLINE_MS),
            ...(strict && { strict: UNPROVEN }),
          }),
        PUSH_DEADLINE_MS,
      );
    });
    const options = { deadlineMs: PUSH_DEADLINE_MS, strict, ...(version !== undefined && { version }) };
    try {
      return await Promise.race([this.pusher.push(ref, options), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #pushInBackground(dirty: readonly DirtyEntity[], versions: ReadonlyMap<string, bigint>): void {
    for (const { ref } of dirty.slice(0, PUSHED_WITH_REQUEST_MAX)) {
      const version = versions.get(keyOf(ref));
      void this.pusher.push(ref, { deadlineMs: PUSH_DEADLINE_MS, ...(version !== undefined && { version }) });
    }
    if (dirty.length > PUSHED_WITH_REQUEST_MAX) void this.relay.runOnce();
  }
}

function actorOf(context: RequestContext): AuditActor {
  return { id: context.principal.userId, name: context.principal.name, requestId: context.requestId };
}
