import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { mergeSightings, summariseLiveness } from './summarise-liveness.js';

interface Step {
  readonly t: number;
  readonly op: 'register' | 'heartbeat' | 'deregister' | 'check';
  readonly node?: string | null;
  readonly expect: { readonly nodes: number; readonly status: string };
}

interface Vectors {
  readonly ttl: number;
  readonly cases: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

const fixture = new URL('../../../../../../packages/protocol/fixtures/liveness.json', import.meta.url);
const vectors = JSON.parse(readFileSync(fixture, 'utf8')) as Vectors;

/** What the stores remember of one authority. */
class Memory {
  private readonly lastSeen = new Map<string, number>();
  private legacyNodes = 0;
  private authoritySeen: number | null = null;

  apply({ op, node, t }: Step): void {
    if (op === 'check') return;
    if (op === 'deregister') return this.leave(node);
    this.authoritySeen = t;
    if (node) this.lastSeen.set(node, t);
    else if (op === 'register') this.legacyNodes += 1;
  }

  at(now: number, ttl: number) {
    const sightings = [...this.lastSeen].map(([nodeId, seen]) => ({ nodeId, ageSeconds: now - seen }));
    const lastSeenAgeSeconds = this.authoritySeen === null ? null : now - this.authoritySeen;
    return summariseLiveness({ sightings, legacyNodes: this.legacyNodes, lastSeenAgeSeconds }, ttl);
  }

  private leave(node: string | null | undefined): void {
    if (node) this.lastSeen.delete(node);
    else this.legacyNodes = Math.max(0, this.legacyNodes - 1);
  }
}

describe('summariseLiveness', () => {
  it.each(vectors.cases)('counts nodes over time: $name', ({ steps }) => {
    const memory = new Memory();
    for (const step of steps) {
      memory.apply(step);
      const { nodes, status } = memory.at(step.t, vectors.ttl);
      expect({ t: step.t, nodes, status }).toEqual({ t: step.t, ...step.expect });
    }
  });

  it('believes whichever witness saw a node last', () => {
    const merged = mergeSightings(
      [{ nodeId: 'a', ageSeconds: 40 }],
      [
        { nodeId: 'a', ageSeconds: 3 },
        { nodeId: 'b', ageSeconds: 5 },
      ],
    );
    expect(merged).toEqual([
      { nodeId: 'a', ageSeconds: 3 },
      { nodeId: 'b', ageSeconds: 5 },
    ]);
  });
});
