import type { FastifyRequest } from 'fastify';

import type { CoordinatorConfig } from '../config/coordinator.config.js';
import { urlHost } from '../wire/url-host.js';

/** Base URL others are told, without a slash at its end: the configured one, else host and port as listened on. */
export function advertisedUrl(config: CoordinatorConfig, request: FastifyRequest): string {
  if (config.advertise_url !== undefined) return config.advertise_url;
  return `http://${urlHost(config.host)}:${config.port || (request.socket.localPort ?? 0)}`;
}
