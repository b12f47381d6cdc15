import { type DynamicModule, Module } from '@nestjs/common';

import { DesiredStore } from './desired.store.js';
import { RECONCILE_INTERVAL_MS, ReconcileScheduler } from './reconcile.scheduler.js';
import { RepairDriftService } from './repair-drift.service.js';
import { ShrinkKeysService } from './shrink-keys.service.js';

@Module({ providers: [DesiredStore, RepairDriftService, ShrinkKeysService, ReconcileScheduler] })
export class ReconcileModule {
  static with(intervalMs: number): DynamicModule {
    return {
      module: ReconcileModule,
      providers: [{ provide: RECONCILE_INTERVAL_MS, useValue: intervalMs }],
    };
  }
}
