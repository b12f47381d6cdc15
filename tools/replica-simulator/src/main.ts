#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { Command } from 'commander';

import { parseReplicas, ReplicaConfigError } from './replica-config.js';
import { startReplica, type ReplicaOptions, type RunningReplica } from './start-replica.js';

interface Flags {
  readonly config?: string;
  readonly replicas?: string;
  readonly model: string;
  readonly host: string;
  readonly port: string;
  readonly adminPort: string;
  readonly seed: string;
  readonly ttftMs: string;
  readonly interTokenMs: string;
  readonly tokens: string;
}

const EXIT_CONFIG = 78;

/** Runs the replicas of the command line until SIGTERM or SIGINT; one JSON line on stdout says that they listen. */
async function main(): Promise<void> {
  const replicas = await startAll(readReplicas(readFlags()));
  const ready = replicas.map(({ model, url, adminUrl }) => ({ model, url, admin_url: adminUrl }));
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, replicas: ready })}\n`);
  const stop = (): void => {
    void Promise.all(replicas.map((replica) => replica.stop())).then(() => process.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function readFlags(): Flags {
  return new Command('replica-simulator')
    .description('OpenAI-compatible model servers with scripted latency and faults.')
    .option(
      '--config <file>',
      'JSON or YAML file: {"replicas":[{"model","port","admin_port","seed","ttft_ms",…}]}',
    )
    .option('--replicas <json>', 'the same as text on the command line')
    .option('--model <name>', 'name served by a single replica', 'sim-model')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'model port of a single replica', '0')
    .option('--admin-port <number>', 'admin port of a single replica', '0')
    .option('--seed <number>', 'seed of the texts', '1')
    .option('--ttft-ms <number>', 'silence before the first token', '20')
    .option('--inter-token-ms <number>', 'time between two tokens', '5')
    .option('--tokens <number>', 'length of an answer', '16')
    .parse()
    .opts<Flags>();
}

function readReplicas(flags: Flags): ReplicaOptions[] {
  if (flags.config !== undefined) return parseReplicas(readFileSync(flags.config, 'utf8'));
  if (flags.replicas !== undefined) return parseReplicas(flags.replicas);
  const single = {
    model: flags.model,
    host: flags.host,
    port: Number(flags.port),
    admin_port: Number(flags.adminPort),
    seed: Number(flags.seed),
    ttft_ms: Number(flags.ttftMs),
    inter_token_ms: Number(flags.interTokenMs),
    tokens: Number(flags.tokens),
  };
  return parseReplicas(JSON.stringify([single]));
}

async function startAll(options: readonly ReplicaOptions[]): Promise<RunningReplica[]> {
  const replicas: RunningReplica[] = [];
  for (const one of options) replicas.push(await startReplica(one));
  return replicas;
}

main().catch((error: unknown) => {
  const lines = error instanceof ReplicaConfigError ? error.problems : [String(error)];
  process.stderr.write(lines.map((line) => `replica-simulator: ${line}\n`).join(''));
  process.exit(error instanceof ReplicaConfigError ? EXIT_CONFIG : 1);
});
