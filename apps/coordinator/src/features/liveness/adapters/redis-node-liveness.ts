import type { Logger } from '@penstock/observability';
import type { Redis } from 'ioredis';
import { z } from 'zod';

import type { LivenessView, NodeBeat, NodeLiveness, NodeMetadata } from '../node-liveness.port.js';
import { ACKNOWLEDGE_SCRIPT, BEAT_SCRIPT, FORGET_SCRIPT, VIEW_SCRIPT } from './liveness-scripts.js';

/** How long keys of an authority that went silent stay. The stock coordinator uses the same two days. */
const KEY_LIFETIME_SECONDS = 172_800;

const viewReply = z.tuple([z.string(), z.string(), z.array(z.string()), z.array(z.string())]);
const storedMetadata = z.object({
  address: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  revision: z.string().optional().catch(undefined),
  registered_at: z.string().optional().catch(undefined),
});

/** {@link NodeLiveness} in Redis, in the key layout AppProxy coordinators share. */
export class RedisNodeLiveness implements NodeLiveness {
  constructor(
    private readonly redis: Redis,
    private readonly ttlSeconds: number,
    private readonly logger: Logger,
  ) {}

  async beat(authority: string, node: NodeBeat | null): Promise<void> {
    const told = JSON.stringify(withoutEmpty({ ...node, nodeId: undefined }));
    const lifetime = [this.ttlSeconds, KEY_LIFETIME_SECONDS];
    await this.run(BEAT_SCRIPT, authority, [authority, ...lifetime, node?.nodeId ?? '', told]);
  }

  async forget(authority: string, nodeId: string): Promise<void> {
    await this.run(FORGET_SCRIPT, authority, [nodeId]);
  }

  async acknowledged(authority: string, nodeId: string, revision: string): Promise<void> {
    await this.run(ACKNOWLEDGE_SCRIPT, authority, [nodeId, revision]);
  }

  async view(authority: string): Promise<LivenessView | null> {
    const reply = viewReply.safeParse(await this.run(VIEW_SCRIPT, authority, [authority]));
    return reply.success ? toView(reply.data) : null;
  }

  private async run(script: string, authority: string, args: readonly (string | number)[]): Promise<unknown> {
    // No queueing while the server is away: an answer that is late is worth no more than none.
    if (this.redis.status !== 'ready') return null;
    const keys = [
      `proxy-worker.nodes.${authority}`,
      `proxy-worker.node-meta.${authority}`,
      'proxy-worker.last_seen',
    ];
    try {
      return await this.redis.eval(script, keys.length, ...keys, ...args);
    } catch (error) {
      this.logger.warn({ err: error, authority }, 'liveness store did not answer');
      return null;
    }
  }
}

function toView([now, lastSeen, scores, metadata]: z.output<typeof viewReply>): LivenessView {
  const age = (seconds: string) => Math.max(0, Number(now) - Number(seconds));
  return {
    sightings: pairs(scores).map(([nodeId, score]) => ({ nodeId, ageSeconds: age(score) })),
    metadata: new Map(pairs(metadata).map(([nodeId, json]) => [nodeId, toMetadata(json)])),
    lastSeenAgeSeconds: lastSeen === '' ? null : age(lastSeen),
  };
}

function toMetadata(json: string): NodeMetadata {
  const stored = storedMetadata.catch({}).parse(parseJson(json));
  return {
    address: stored.address ?? null,
    version: stored.version ?? null,
    revision: stored.revision ?? null,
    registeredAt: stored.registered_at ? new Date(Number(stored.registered_at) * 1000) : null,
  };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: Math.floor(flat.length / 2) }, (_none, i) => [
    flat[2 * i] ?? '',
    flat[2 * i + 1] ?? '',
  ]);
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}
