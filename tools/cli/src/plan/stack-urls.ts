import type { Credentials } from '../state/credentials.js';
import type { PortMap } from './port-needs.js';

/** Addresses of what the services need from each other. Database and Redis URLs carry passwords. */
export interface StackUrls {
  redis: string;
  databases: { coordinator: string; manager: string };
  coordinators: string[];
  manager: string;
}

/** Pure: follows from ports and passwords. */
export function stackUrls(credentials: Credentials, ports: PortMap): StackUrls {
  return {
    redis: `redis://:${credentials.redis_password}@127.0.0.1:${ports.redis[0] ?? 0}`,
    databases: {
      coordinator: databaseUrl(credentials, ports, 'penstock_coordinator'),
      manager: databaseUrl(credentials, ports, 'penstock_manager'),
    },
    coordinators: ports.coordinator.map((port) => `http://127.0.0.1:${port}`),
    manager: `http://127.0.0.1:${ports.manager[0] ?? 0}`,
  };
}

function databaseUrl(credentials: Credentials, ports: PortMap, name: string): string {
  return `postgresql://penstock:${credentials.postgres_password}@127.0.0.1:${ports.postgres[0] ?? 0}/${name}`;
}
