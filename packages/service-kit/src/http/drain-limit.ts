import type { FastifyInstance } from 'fastify';

/**
 * Ends what is still connected `timeoutMs` after closing began. Without it one client that does not read its answer, or
 * has connected and says nothing, holds the whole service until it is killed.
 */
export function limitDrain(instance: FastifyInstance, timeoutMs: number): void {
  instance.addHook('preClose', (done) => {
    const timer = setTimeout(() => instance.server.closeAllConnections(), timeoutMs);
    instance.server.once('close', () => clearTimeout(timer));
    if (!instance.server.listening) clearTimeout(timer);
    done();
  });
}
