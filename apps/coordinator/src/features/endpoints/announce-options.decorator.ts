import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { HEADERS, propagationQuerySchema, readTraceparent } from '@penstock/protocol';
import type { FastifyRequest } from 'fastify';

import { parseWire } from '../../wire/parse-wire.js';
import type { AnnounceOptions } from '../propagation/index.js';

/** Controller parameter: how the change of this request is announced. @throws WireError 400 unreadable query */
export const Announce = createParamDecorator(
  (_data: unknown, execution: ExecutionContext): AnnounceOptions => {
    const { query, headers } = execution.switchToHttp().getRequest<FastifyRequest>();
    const { propagation: report } = parseWire(propagationQuerySchema, query);
    return { report, traceparent: readTraceparent(headers[HEADERS.traceparent]) };
  },
);
