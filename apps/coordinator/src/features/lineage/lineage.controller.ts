import { Body, Controller, Get, Inject, Put } from '@nestjs/common';
import { uuidSchema, type SuccessResponse } from '@penstock/protocol';
import { z } from 'zod';

import { Database } from '../../persistence/index.js';
import { parseBody } from '../../wire/parse-wire.js';
import { UuidParam } from '../../wire/uuid-param.decorator.js';
import { bindUpstream } from './adapters/bind-upstream.js';
import { readLineage, type Lineage } from './adapters/read-lineage.js';

const bindingSchema = z.object({ upstream_endpoint_id: uuidSchema.nullable() });

/** What an endpoint calls, and who calls it. */
@Controller('v2/endpoints/:endpoint_id')
export class LineageController {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Null unbinds. May be repeated. */
  @Put('upstream')
  async bind(@UuidParam('endpoint_id') id: string, @Body() body: unknown): Promise<SuccessResponse> {
    const { upstream_endpoint_id } = parseBody(bindingSchema, body);
    await this.database.transact((db) => bindUpstream(db, id, upstream_endpoint_id));
    return { success: true };
  }

  @Get('lineage')
  read(@UuidParam('endpoint_id') id: string): Promise<Lineage> {
    return this.database.snapshot((db) => readLineage(db, id));
  }
}
