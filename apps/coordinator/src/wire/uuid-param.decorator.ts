import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { uuidSchema } from '@penstock/protocol';
import type { FastifyRequest } from 'fastify';

import { parseWire } from './parse-wire.js';

/** Controller parameter: the named part of the path, which is a UUID, in canonical form. @throws WireError 400 */
export const UuidParam = createParamDecorator((name: string, execution: ExecutionContext) => {
  const params = execution.switchToHttp().getRequest<FastifyRequest>().params as Record<string, unknown>;
  return parseWire(uuidSchema, params[name], [name]);
});
