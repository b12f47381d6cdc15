import type { FastifyRequest } from 'fastify';

const codes = new WeakMap<FastifyRequest, string>();

/** Remembers why a request failed, for its line in the log. */
export function noteFailure(request: FastifyRequest, code: string): void {
  codes.set(request, code);
}

export function failureCodeOf(request: FastifyRequest): string | undefined {
  return codes.get(request);
}
