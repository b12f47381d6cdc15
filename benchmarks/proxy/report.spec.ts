import { describe, expect, it } from '@jest/globals';

import type { Measurement } from './measure/measure-round.ts';
import type { Series } from './measure/run-rounds.ts';
import { compare, errorCount, goals, summarize } from './report.ts';

function measured(requestsPerSecond: number, p50Us: number, cpuUsPerRequest: number | null): Measurement {
  return { requestsPerSecond, p50Us, p99Us: p50Us * 2, cpuUsPerRequest, errors: 0 };
}

const withoutNginx: Series = {
  connections: 16,
  bodyBytes: 1_024,
  rounds: {
    direct: [measured(20_000, 30, null), measured(10_000, 60, null)],
    naive: [measured(4_000, 180, 250), measured(2_000, 360, 260)],
    penstock: [measured(10_000, 105, 90), measured(5_000, 210, 91)],
  },
};

describe('compare', () => {
  it('takes ratios within rounds and leaves out what was not measured', () => {
    const comparison = compare(withoutNginx);
    expect(comparison.rps_vs_naive?.median).toBeCloseTo(2.5);
    expect(comparison.added_latency_vs_naive?.median).toBeCloseTo(0.5);
    expect(comparison.cpu_vs_nginx).toBeNull();
  });
});

describe('goals', () => {
  it('says met, missed, or unknown when there was nothing to compare with', () => {
    const met = goals([compare(withoutNginx)]).map((goal) => goal.met);
    expect(met).toEqual([true, true, null, null]);
  });
});

describe('summarize', () => {
  it('shows medians of the targets that ran', () => {
    const summary = summarize(withoutNginx);
    expect(Object.keys(summary)).toEqual(['direct', 'naive', 'penstock']);
    expect(summary.naive?.requestsPerSecond).toBe(3_000);
    expect(summary.direct?.cpuUsPerRequest).toBeNull();
    expect(errorCount([withoutNginx])).toBe(0);
  });
});
