import { secret } from '@penstock/config';
import { z } from 'zod';

const host = z.string().min(1).max(255);
/** 0 asks the system for a free port. */
const port = z.int().min(0).max(65_535);

/** The three listeners of a process: clients, the cluster, and the operator. */
export const listenerSchemas = {
  public: z
    .strictObject({
      host: host.default('0.0.0.0').describe('Address clients connect to.'),
      port: port.default(10_400).describe('Port clients connect to; shared by the processes of an instance.'),
    })
    .prefault({}),
  internal: z
    .strictObject({
      host: host.describe('Cluster-private address of the internal listener.'),
      port: port.describe('Port of the internal listener.'),
      domain: z.string().min(1).max(1024).describe('Domain under which internal endpoints are named.'),
      jwt_secret: secret().describe('Verifies the endpoint tokens this listener takes.'),
    })
    .nullable()
    .default(null)
    .describe('The listener on which internal endpoints exist; null leaves it out.'),
  admin: z
    .strictObject({
      host: host.default('127.0.0.1').describe('Address of health, status and metrics.'),
      port: port.default(10_410).describe('Admin port of the first process; process n uses this plus n.'),
    })
    .prefault({}),
};
