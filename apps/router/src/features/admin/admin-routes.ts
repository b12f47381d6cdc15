import type { Metrics } from '@penstock/observability';
import { jsonAnswer, type AdminRoute } from './admin-server.js';
import { nodeStatus, type NodeFacts, type NodeView } from './node-status.js';

interface Sources {
  readonly facts: NodeFacts;
  readonly view: () => NodeView;
  readonly metrics: Metrics;
}

/**
 * The operator's paths. `/healthz` looks at nothing but the process, so that an outage elsewhere never gets routers
 * restarted; `/readyz` says whether this node can serve now.
 */
export function adminRoutes({ facts, view, metrics }: Sources): ReadonlyMap<string, AdminRoute> {
  return new Map<string, AdminRoute>([
    ['/healthz', () => jsonAnswer(200, { status: 'ok' })],
    ['/readyz', () => readiness(view())],
    ['/status', () => jsonAnswer(200, nodeStatus(facts, view()))],
    ['/metrics', async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() })],
  ]);
}

function readiness({ ready, draining }: NodeView) {
  if (ready) return jsonAnswer(200, { status: 'ready' });
  return jsonAnswer(503, { status: draining ? 'draining' : 'starting' });
}
