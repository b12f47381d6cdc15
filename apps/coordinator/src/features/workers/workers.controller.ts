import { Body, Controller, Delete, Get, Inject, Patch, Put, Query } from '@nestjs/common';
import {
  nodeReferenceSchema,
  workerRequestSchema,
  type NodeReference,
  type SuccessResponse,
  type WorkerResponse,
  type WorkersResponse,
} from '@penstock/protocol';

import { parseBody, parseWire } from '../../wire/parse-wire.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { DeregisterWorkerService } from './deregister-worker.service.js';
import { DescribeWorkersService } from './describe-workers.service.js';
import { KeepWorkerAliveService } from './keep-worker-alive.service.js';
import { RegisterWorkerService } from './register-worker.service.js';

/** What worker nodes and fleet views call. */
@Controller('api/worker')
export class WorkersController {
  constructor(
    @Inject(RegisterWorkerService) private readonly registration: RegisterWorkerService,
    @Inject(KeepWorkerAliveService) private readonly heartbeat: KeepWorkerAliveService,
    @Inject(DeregisterWorkerService) private readonly deregistration: DeregisterWorkerService,
    @Inject(DescribeWorkersService) private readonly workers: DescribeWorkersService,
  ) {}

  @Put()
  register(@Body() body: unknown): Promise<WorkerResponse> {
    return this.registration.register(parseBody(workerRequestSchema, body));
  }

  @Get()
  async list(): Promise<WorkersResponse> {
    return { workers: await this.workers.list() };
  }

  @Get(':worker_id')
  detail(@UuidParam('worker_id') id: string): Promise<WorkerResponse> {
    return this.workers.detail(id);
  }

  @Patch(':worker_id')
  beat(
    @UuidParam('worker_id') id: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<WorkerResponse> {
    return this.heartbeat.beat(id, nodeReference(body, query));
  }

  @Delete(':worker_id')
  async leave(
    @UuidParam('worker_id') id: string,
    @Body() body: unknown,
    @Query() query: unknown,
  ): Promise<SuccessResponse> {
    await this.deregistration.deregister(id, nodeReference(body, query).node_id);
    return { success: true };
  }
}

/** Bodies on DELETE get lost on the way and stock workers send neither, so both places are read on both calls. */
function nodeReference(body: unknown, query: unknown): NodeReference {
  const told = parseBody(nodeReferenceSchema, Buffer.isBuffer(body) || typeof body === 'string' ? {} : body);
  const asked = parseWire(nodeReferenceSchema, query);
  return { ...asked, ...told, node_id: told.node_id ?? asked.node_id };
}
