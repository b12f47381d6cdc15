import { beforeEach, describe, expect, it } from '@jest/globals';
import { ReplicaHealth } from './replica-health.js';

let health: ReplicaHealth;

beforeEach(() => {
  health = new ReplicaHealth({ failuresToEject: 3, backoffMinMs: 1_000, backoffMaxMs: 4_000 });
});

describe('ReplicaHealth', () => {
  it('ejects at once what cannot be reached, and after three failures in a row what can', () => {
    health.report('failure', 0);
    health.report('failure', 0);
    expect(health.healthy).toBe(true);
    health.report('failure', 0);
    expect(health.healthy).toBe(false);
    const other = new ReplicaHealth();
    other.report('unreachable', 0);
    expect(other.eligible(0)).toBe(false);
  });

  it('counts failures in a row only', () => {
    for (let round = 0; round < 10; round += 1) {
      health.report('failure', 0);
      health.report('failure', 0);
      health.report('success', 0);
    }
    expect(health.healthy).toBe(true);
  });

  it('lets one request at a time try an ejected replica after its backoff', () => {
    health.report('unreachable', 0);
    expect(health.eligible(999)).toBe(false);
    expect(health.eligible(1_000)).toBe(true);
    expect(health.begin()).toBe(true);
    expect(health.eligible(1_000)).toBe(false);
    health.report('success', 1_100, true);
    expect(health.healthy).toBe(true);
    expect(health.eligible(1_100)).toBe(true);
  });

  it('goes on with a trial whatever attempts from before the ejection report', () => {
    expect(health.begin()).toBe(false);
    health.report('unreachable', 0);
    expect(health.begin()).toBe(true);
    expect(health.begin()).toBe(false);
    for (const signal of ['neutral', 'failure'] as const) health.report(signal, 500);
    expect(health.eligible(5_000)).toBe(false);
    health.report('failure', 5_000, true);
    expect(health.eligible(5_000 + 1_999)).toBe(false);
    expect(health.eligible(5_000 + 2_000)).toBe(true);
  });

  it('doubles the wait with each failed trial, up to a bound', () => {
    let now = 0;
    let trial = false;
    for (const wait of [1_000, 2_000, 4_000, 4_000]) {
      health.report('unreachable', now, trial);
      expect(health.eligible(now + wait - 1)).toBe(false);
      expect(health.eligible(now + wait)).toBe(true);
      now += wait;
      trial = health.begin();
      expect(trial).toBe(true);
    }
  });

  it('does not lengthen the wait for attempts that were under way when it was ejected', () => {
    for (let round = 0; round < 50; round += 1) health.report('unreachable', 0);
    expect(health.eligible(1_000)).toBe(true);
  });

  it('learns nothing from a client that hung up, but ends its trial', () => {
    health.report('unreachable', 0);
    const trial = health.begin();
    health.report('neutral', 1_500, trial);
    expect(health.healthy).toBe(false);
    expect(health.eligible(1_500)).toBe(true);
  });
});
