import type { Measurement } from './measure/measure-round.ts';
import type { Series } from './measure/run-rounds.ts';
import { median, ratioPerRound, type Spread } from './measure/statistics.ts';
import type { TargetName } from './targets/target.ts';

/** Penstock against another target, as ratios within rounds. Null where a side was not measured. */
export interface Comparison {
  readonly connections: number;
  readonly body_bytes: number;
  readonly rps_vs_naive: Spread | null;
  readonly cpu_vs_naive: Spread | null;
  readonly rps_vs_nginx: Spread | null;
  readonly cpu_vs_nginx: Spread | null;
  readonly added_latency_vs_naive: Spread | null;
}

export interface Goal {
  readonly name: string;
  readonly limit: number;
  readonly value: number | null;
  readonly met: boolean | null;
}

const NAMES = ['direct', 'nginx', 'naive', 'penstock'] as const;

export function compare(series: Series): Comparison {
  const [penstock, naive, nginx] = [series.rounds.penstock, series.rounds.naive, series.rounds.nginx];
  return {
    connections: series.connections,
    body_bytes: series.bodyBytes,
    rps_vs_naive: ratioPerRound(rps(penstock), rps(naive)),
    cpu_vs_naive: ratioPerRound(cpu(penstock), cpu(naive)),
    rps_vs_nginx: ratioPerRound(rps(penstock), rps(nginx)),
    cpu_vs_nginx: ratioPerRound(cpu(penstock), cpu(nginx)),
    added_latency_vs_naive: ratioPerRound(added(series, 'penstock'), added(series, 'naive')),
  };
}

/** The figures Penstock promises for 1 KB bodies. A goal that could not be measured is neither met nor missed. */
export function goals(comparisons: readonly Comparison[]): Goal[] {
  const small = comparisons.filter(({ body_bytes }) => body_bytes === 1_024);
  const at = (connections: number): Comparison | undefined =>
    small.find((one) => one.connections === connections);
  const [sixteen, one] = [at(16), at(1)];
  return [
    goal('requests/s against naive, 16 connections', 'at least', 1.8, sixteen?.rps_vs_naive),
    goal('CPU per request against naive, 16 connections', 'at most', 0.6, sixteen?.cpu_vs_naive),
    goal('CPU per request against nginx, 16 connections', 'at most', 4, sixteen?.cpu_vs_nginx),
    goal('added latency against naive, 1 connection', 'at most', 1, one?.added_latency_vs_naive),
  ];
}

/** Medians of one target's rounds, as the table and the report show them. */
export function summarize(series: Series): Partial<Record<TargetName, Measurement>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const rounds = series.rounds[name];
      return rounds === undefined ? [] : [[name, medians(rounds)]];
    }),
  );
}

/** Every answer that was not a success makes a ratio meaningless, so they are counted over all rounds. */
export function errorCount(all: readonly Series[]): number {
  return all
    .flatMap(({ rounds }) => Object.values(rounds).flat())
    .reduce((sum, { errors }) => sum + errors, 0);
}

function medians(rounds: readonly Measurement[]): Measurement {
  return {
    requestsPerSecond: median(rps(rounds)),
    p50Us: median(rounds.map(({ p50Us }) => p50Us)),
    p99Us: median(rounds.map(({ p99Us }) => p99Us)),
    cpuUsPerRequest: rounds.every((round) => round.cpuUsPerRequest !== null)
      ? median(cpu(rounds).map(Number))
      : null,
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function goal(
  name: string,
  bound: 'at least' | 'at most',
  limit: number,
  spread: Spread | null | undefined,
): Goal {
  const value = spread?.median ?? null;
  const met = value === null ? null : bound === 'at least' ? value >= limit : value <= limit;
  return { name: `${name}: ${bound} ${limit}`, limit, value, met };
}

function rps(rounds: readonly Measurement[] = []): number[] {
  return rounds.map(({ requestsPerSecond }) => requestsPerSecond);
}

function cpu(rounds: readonly Measurement[] = []): (number | null)[] {
  return rounds.map(({ cpuUsPerRequest }) => cpuUsPerRequest);
}

/** What a proxy adds to the median latency of the mock, in the same round. */
function added(series: Series, name: TargetName): (number | null)[] {
  const direct = series.rounds.direct ?? [];
  return (series.rounds[name] ?? []).map(({ p50Us }, round) => {
    const floor = direct[round]?.p50Us;
    return floor === undefined ? null : p50Us - floor;
  });
}
