import type { FastifyServerOptions } from 'fastify';

const OVERRIDABLE: ReadonlySet<string> = new Set(['GET', 'PUT', 'PATCH', 'DELETE', 'POST']);

type RewriteUrl = NonNullable<FastifyServerOptions['rewriteUrl']>;

/**
 * Honours `X-Method-Override`, for callers behind proxies that let only POST through. It rides on the one hook that
 * runs before routing; the URL itself stays as it is.
 */
export const overrideMethod: RewriteUrl = function (request) {
  const wanted = request.headers['x-method-override'];
  if (request.method === 'POST' && typeof wanted === 'string' && OVERRIDABLE.has(wanted.toUpperCase())) {
    // What is read here is the raw request that the router looks at next.
    (request as { method?: string }).method = wanted.toUpperCase();
  }
  return request.url ?? '/';
};
