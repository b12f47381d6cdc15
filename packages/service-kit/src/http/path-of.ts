import type { FastifyRequest } from 'fastify';

/** The request's path without its query, as sent. */
export function pathOf(request: FastifyRequest): string {
  const url = request.originalUrl ?? request.url;
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
