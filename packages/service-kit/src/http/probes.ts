import type { Metrics } from '@penstock/observability';
import type { FastifyInstance } from 'fastify';

import type { ProbeOptions } from './http-service-options.js';

/** Routes for the platform: they answer without credentials and touch nothing but what they report on. */
export function installProbes(instance: FastifyInstance, options: ProbeOptions, metrics: Metrics): void {
  const { health, livePath = '/healthz', readyPath = '/readyz', metricsPath } = options;
  instance.get(livePath, () => health.live());
  instance.get(readyPath, async (_request, reply) => {
    const report = await health.ready();
    return reply.code(report.ready ? 200 : 503).send(report);
  });
  if (metricsPath === undefined) return;
  instance.get(metricsPath, async (_request, reply) =>
    reply.header('content-type', metrics.contentType).send(await metrics.text()),
  );
}
