import { join } from 'node:path';
import type { Credentials } from '../state/credentials.js';
import { demoReplicas } from './demo-deployments.js';
import { stackUrls } from './stack-urls.js';
import type { PortMap } from './port-needs.js';
import { coordinatorConfig, managerConfig, replicasConfig, routerConfig } from './service-configs.js';
import type { StackOptions } from './stack-options.js';
import type { PlannedBackingService, PlannedNodeService, ServicePlan, StackPlan } from './stack-plan.js';

const PHASE = { data: 0, control: 1, serving: 2 };
// The first start also migrates its database, on a machine that may be busy.
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
/** Longer than a router's own drain timeout plus the lead in which it fails readiness. */
const ROUTER_STOP_TIMEOUT_MS = 75_000;

/** From options, credentials and ports to services with their configuration files. Pure. */
export function makePlan(options: StackOptions, credentials: Credentials, ports: PortMap): StackPlan {
  const services = [
    ...backingServices(options, ports),
    ...coordinators(options, credentials, ports),
    ...replicas(options, ports),
    manager(options, credentials, ports),
    ...routers(options, credentials, ports),
  ];
  return { options, ports, services };
}

function backingServices(options: StackOptions, ports: PortMap): PlannedBackingService[] {
  return (['postgres', 'redis'] as const).map((backing) => {
    const port = ports[backing][0] ?? 0;
    const dir = join(options.dataDir, backing);
    const portFlag = `--${backing}-port`;
    return { kind: 'backing', name: backing, backing, phase: PHASE.data, dir, port, portFlag, ports: [port] };
  });
}

function coordinators(options: StackOptions, credentials: Credentials, ports: PortMap): ServicePlan[] {
  return ports.coordinator.map((port, index) => ({
    ...nodeService(options, index === 0 ? 'coordinator' : `coordinator-${index + 1}`, 'apps/coordinator'),
    phase: PHASE.control,
    ports: [port],
    config: coordinatorConfig(options, stackUrls(credentials, ports), credentials, port),
    readyUrls: [`http://127.0.0.1:${port}/health/readyz`],
  }));
}

function manager(options: StackOptions, credentials: Credentials, ports: PortMap): ServicePlan {
  const port = ports.manager[0] ?? 0;
  return {
    ...nodeService(options, 'manager', 'apps/manager'),
    phase: PHASE.serving,
    ports: [port],
    config: managerConfig(options, stackUrls(credentials, ports), credentials, port),
    readyUrls: [`http://127.0.0.1:${port}/readyz`],
  };
}

function routers(options: StackOptions, credentials: Credentials, ports: PortMap): ServicePlan[] {
  return ports.router.map((port, index) => {
    const firstAdmin = ports['router-admin'][index] ?? 0;
    const internalPort = ports['router-internal'][index] ?? null;
    const adminPorts = Array.from({ length: options.workers }, (_, worker) => firstAdmin + worker);
    return {
      ...nodeService(options, `router-${index + 1}`, 'apps/router'),
      phase: PHASE.serving,
      ports: [port, ...adminPorts, ...(internalPort === null ? [] : [internalPort])],
      config: routerConfig(options, stackUrls(credentials, ports), credentials, {
        index,
        port,
        firstAdmin,
        internalPort,
        trafficPort: ports.router[0] ?? 0,
      }),
      readyUrls: adminPorts.map((adminPort) => `http://127.0.0.1:${adminPort}/readyz`),
      stopTimeoutMs: ROUTER_STOP_TIMEOUT_MS,
    };
  });
}

function replicas(options: StackOptions, ports: PortMap): ServicePlan[] {
  const simulated = demoReplicas(ports.replica, ports['replica-admin']);
  if (simulated.length === 0) return [];
  return [
    {
      ...nodeService(options, 'replicas', 'tools/replica-simulator'),
      configFile: join(options.dataDir, 'config', 'replicas.json'),
      phase: PHASE.control,
      ports: [...ports.replica, ...ports['replica-admin']],
      config: replicasConfig(simulated),
      readyUrls: simulated.map(({ port }) => `http://127.0.0.1:${port}/health`),
    },
  ];
}

function nodeService(options: StackOptions, name: string, workspace: string): NodeServiceBase {
  return {
    kind: 'node',
    name,
    entry: join(workspace, 'dist', 'main.js'),
    configFile: join(options.dataDir, 'config', `${name}.yaml`),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: STOP_TIMEOUT_MS,
  };
}

type NodeServiceBase = Omit<PlannedNodeService, 'phase' | 'ports' | 'config' | 'readyUrls'>;
