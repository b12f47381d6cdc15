/** The two deployments of the demo: different in size and share, so that weighting can be seen. */
export const DEMO_DEPLOYMENTS = [
  { name: 'demo-large', servedModel: 'sim-large', ratio: 0.7, replicas: 1 },
  { name: 'demo-small', servedModel: 'sim-small', ratio: 0.3, replicas: 3 },
] as const;

export const DEMO_REPLICA_COUNT = DEMO_DEPLOYMENTS.reduce((sum, { replicas }) => sum + replicas, 0);

/** The published name. */
export const DEMO_MODEL = 'demo-chat';

export interface DemoReplica {
  deployment: string;
  model: string;
  port: number;
  adminPort: number;
}

/** Which simulated replica of which deployment listens where. Pure. */
export function demoReplicas(ports: number[], adminPorts: number[]): DemoReplica[] {
  const owners = DEMO_DEPLOYMENTS.flatMap((deployment) =>
    Array.from({ length: deployment.replicas }, () => deployment),
  );
  return owners.flatMap(({ name, servedModel }, index) => {
    const port = ports[index];
    const adminPort = adminPorts[index];
    if (port === undefined || adminPort === undefined) return [];
    return [{ deployment: name, model: servedModel, port, adminPort }];
  });
}
