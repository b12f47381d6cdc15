import { secret } from '@penstock/config';
import { z } from 'zod';

const host = z.string().min(1).max(255);
/** 0 asks the system for a free port. */
const port = z.int().min(0).max(65_535);
const DOMAIN = /^\.[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;
/** Endpoints are one label below it. */
const domain = z.string().max(1024).regex(DOMAIN, 'must begin with a dot, such as .models.example.com');
/** A host name as a `Host` header has it. */
const hostName = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, 'must be a host name without a port, such as models.example.com');

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
      domain: domain.describe('Domain under which internal endpoints are named, with its leading dot.'),
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

/** What a wildcard worker needs beside its public listener. */
export const wildcardSchema = z
  .strictObject({
    domain: domain.describe('Domain under which endpoints are named, with its leading dot.'),
    jwt_secret: secret().describe('Verifies the endpoint tokens clients send; shared with the coordinator.'),
    traffic_port: port
      .min(1)
      .nullable()
      .default(null)
      .describe('Port in the addresses of endpoints; the public port when unset.'),
    aggregation_hosts: z
      .array(hostName)
      .max(64)
      .default([])
      .describe('Hosts that serve all endpoints by model name; the domain without its dot always does.'),
  })
  .nullable()
  .default(null)
  .describe('The wildcard frontend; required with mode "wildcard", refused with any other.');
