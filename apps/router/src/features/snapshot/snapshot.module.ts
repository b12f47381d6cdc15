import { Module } from '@nestjs/common';
import { SnapshotStore } from './snapshot.store.js';

@Module({
  providers: [{ provide: SnapshotStore, useFactory: () => new SnapshotStore() }],
  exports: [SnapshotStore],
})
export class SnapshotModule {}
