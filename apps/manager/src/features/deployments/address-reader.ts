import { Inject, Injectable } from '@nestjs/common';

import { addressOf } from '../deployment-rows/index.js';
import { Database } from '../storage/index.js';
import type { DeploymentView } from './deployment.view.js';

/** The answer to a change of a deployment, before it was pushed. */
export interface ChangedDeployment extends DeploymentView {
  readonly warnings: readonly string[];
}

/** The coordinator names the address while the request waits for its push, so the answer is completed after it. */
@Injectable()
export class AddressReader {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** The change is committed: a database that is away now does not turn it into a failure. */
  async withAddress<T extends DeploymentView>(changed: T): Promise<T> {
    const where = { id: changed.id };
    const reading = this.database.read((db) => db.deployment.findUnique({ where }));
    const row = await reading.catch(() => null);
    return row === null ? changed : { ...changed, url: addressOf(row) };
  }
}
