import { type DynamicModule, Module } from '@nestjs/common';

import { AddressReader } from './address-reader.js';
import { CreateDeploymentService } from './create-deployment.service.js';
import { DeploymentsController } from './deployments.controller.js';
import { DeploymentsService } from './deployments.service.js';
import { HOST_RESOLVER, type HostResolver } from './host-resolver.port.js';
import { REPLICA_NETWORKS, ReplicaAddressPolicy } from './replica-address.policy.js';
import { ReplicaGroupsController } from './replica-groups.controller.js';
import { ReplicaGroupsService } from './replica-groups.service.js';
import { ReplicasController } from './replicas.controller.js';
import { ReplicasService } from './replicas.service.js';

export interface DeploymentsOptions {
  readonly replicaNetworks: readonly string[];
  readonly resolver: HostResolver;
}

@Module({
  controllers: [DeploymentsController, ReplicasController, ReplicaGroupsController],
  providers: [
    AddressReader,
    CreateDeploymentService,
    DeploymentsService,
    ReplicasService,
    ReplicaGroupsService,
    ReplicaAddressPolicy,
  ],
})
export class DeploymentsModule {
  static with(options: DeploymentsOptions): DynamicModule {
    return {
      module: DeploymentsModule,
      providers: [
        { provide: REPLICA_NETWORKS, useValue: options.replicaNetworks },
        { provide: HOST_RESOLVER, useValue: options.resolver },
      ],
    };
  }
}
