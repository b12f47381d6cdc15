import { Inject, Injectable } from '@nestjs/common';

import {
  COORDINATOR_CLIENT,
  type CoordinatorClient,
  CoordinatorError,
  type EntityRef,
  type TokenWish,
} from '../coordinator-sync/index.js';
import { OutboxStore, PushEntityService } from '../outbox/index.js';

const MINT_DEADLINE_MS = 5_000;
const PUSH_DEADLINE_MS = 10_000;
const NOT_THERE = 404;

/** Has the coordinator sign an access token of a deployment. Only the coordinator has the secret for it. */
@Injectable()
export class MintTokenService {
  constructor(
    @Inject(COORDINATOR_CLIENT) private readonly coordinator: CoordinatorClient,
    @Inject(OutboxStore) private readonly outbox: OutboxStore,
    @Inject(PushEntityService) private readonly pusher: PushEntityService,
  ) {}

  /**
   * A deployment that the coordinator does not have yet is pushed first. Takes 20 s at most.
   * @throws CoordinatorError
   */
  async mint(deployment: EntityRef, wish: TokenWish): Promise<string> {
    try {
      return await this.#ask(deployment, wish);
    } catch (error) {
      if (!(error instanceof CoordinatorError) || error.status !== NOT_THERE) throw error;
      // Nothing may be owed as far as the outbox knows: a coordinator can lose what it was told.
      await this.outbox.markAgain(deployment);
      await this.pusher.push(deployment, { deadlineMs: PUSH_DEADLINE_MS });
      return this.#ask(deployment, wish);
    }
  }

  #ask({ entityKey }: EntityRef, wish: TokenWish): Promise<string> {
    return this.coordinator.mintToken(entityKey, wish, { deadlineMs: MINT_DEADLINE_MS });
  }
}
