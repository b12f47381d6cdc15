import { Inject, Module, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { EventBus } from '@penstock/event-bus';
import type { Logger, Metrics } from '@penstock/observability';

import type { CoordinatorConfig } from '../../config/coordinator.config.js';
import { Database } from '../../persistence/index.js';
import { COORDINATOR_CONFIG, EVENT_BUS, LOGGER, METRICS } from '../../platform/index.js';
import {
  AssessLivenessService,
  LivenessModule,
  NODE_LIVENESS,
  type NodeLiveness,
} from '../liveness/index.js';
import { AckConsumer } from './ack.consumer.js';
import { PostgresAckJournal } from './adapters/postgres-ack-journal.js';
import { AckRegistry } from './ack-registry.js';
import { AnnounceChangeService } from './announce-change.service.js';
import { CircuitAnnouncer } from './circuit-announcer.service.js';
import type { Ack } from './domain/ack.js';
import type { CircuitAck } from './domain/circuit-outcome.js';
import { PropagationMetrics } from './propagation-metrics.js';

const CHANGE_ACKS = Symbol('ChangeAcks');
const CIRCUIT_ACKS = Symbol('CircuitAcks');

@Module({
  imports: [LivenessModule],
  providers: [
    { provide: CHANGE_ACKS, useFactory: () => new AckRegistry<Ack>() },
    { provide: CIRCUIT_ACKS, useFactory: () => new AckRegistry<CircuitAck>() },
    {
      provide: PostgresAckJournal,
      inject: [Database, LOGGER],
      useFactory: (database: Database, logger: Logger) => new PostgresAckJournal(database, logger),
    },
    {
      provide: PropagationMetrics,
      inject: [METRICS],
      useFactory: (metrics: Metrics) => new PropagationMetrics(metrics),
    },
    {
      provide: AnnounceChangeService,
      inject: [EVENT_BUS, CHANGE_ACKS, AssessLivenessService, PropagationMetrics, COORDINATOR_CONFIG],
      useFactory: (
        bus: EventBus,
        acks: AckRegistry<Ack>,
        liveness: AssessLivenessService,
        metrics: PropagationMetrics,
        config: CoordinatorConfig,
      ) => new AnnounceChangeService(bus, acks, liveness, metrics, config.ack_timeout_ms),
    },
    {
      provide: CircuitAnnouncer,
      inject: [
        EVENT_BUS,
        CIRCUIT_ACKS,
        AssessLivenessService,
        PostgresAckJournal,
        LOGGER,
        COORDINATOR_CONFIG,
      ],
      useFactory: (
        bus: EventBus,
        acks: AckRegistry<CircuitAck>,
        liveness: AssessLivenessService,
        journal: PostgresAckJournal,
        logger: Logger,
        config: CoordinatorConfig,
      ) => new CircuitAnnouncer(bus, acks, liveness, journal, logger, config.ack_timeout_ms),
    },
  ],
  exports: [AnnounceChangeService, CircuitAnnouncer],
})
export class PropagationModule implements OnModuleInit, BeforeApplicationShutdown {
  constructor(
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(CHANGE_ACKS) private readonly changes: AckRegistry<Ack>,
    @Inject(CIRCUIT_ACKS) private readonly circuits: AckRegistry<CircuitAck>,
    @Inject(NODE_LIVENESS) private readonly liveness: NodeLiveness,
  ) {}

  onModuleInit(): void {
    const consumer = new AckConsumer(this.changes, this.circuits, this.liveness);
    this.bus.subscribe((event) => consumer.handle(event));
    this.bus.start();
  }

  beforeApplicationShutdown(): void {
    this.changes.close();
    this.circuits.close();
  }
}
