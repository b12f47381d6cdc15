import type { Metrics } from '@penstock/observability';
import type { GroupView } from './view-groups.js';

/** Counts replicas by what selection thinks of them. Which one it is stands on `/status`, where it makes no series. */
export function registerReplicaMetrics(metrics: Metrics, view: () => readonly GroupView[]): void {
  metrics.gauge({
    name: 'penstock_router_replicas',
    help: 'Replicas of the snapshot in effect, by health: healthy, or ejected until a trial request succeeds.',
    labelNames: ['state'],
    collect() {
      const replicas = view().flatMap((group) => group.replicas);
      const healthy = replicas.filter((replica) => replica.healthy).length;
      this.set({ state: 'healthy' }, healthy);
      this.set({ state: 'ejected' }, replicas.length - healthy);
    },
  });
}
