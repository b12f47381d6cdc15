import { type DynamicModule, Module } from '@nestjs/common';

import { DesiredStore } from './desired.store.js';
import { RECONCILE_INTERVAL_MS, ReconcileScheduler } from './reconcile.scheduler.js';
import { RepairDriftService } from './repair-drift.service.js';
import { RepeatRoutesService, ROUTE_REPEAT_INTERVAL_MS } from './repeat-routes.service.js';
import { ShrinkKeysService } from './shrink-keys.service.js';

export interface ReconcileOptions {
  /** Pause between two rounds. */
  readonly intervalMs: number;
  /** For workers that are no routers; a round that comes sooner pushes only what differs. */
  readonly routeRepeatIntervalMs: number;
}

@Module({
  providers: [DesiredStore, RepairDriftService, RepeatRoutesService, ShrinkKeysService, ReconcileScheduler],
})
export class ReconcileModule {
  static with({ intervalMs, routeRepeatIntervalMs }: ReconcileOptions): DynamicModule {
    return {
      module: ReconcileModule,
      providers: [
        { provide: RECONCILE_INTERVAL_MS, useValue: intervalMs },
        { provide: ROUTE_REPEAT_INTERVAL_MS, useValue: routeRepeatIntervalMs },
      ],
    };
  }
}
