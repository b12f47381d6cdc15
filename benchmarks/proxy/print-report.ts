import type { Measurement } from './measure/measure-round.ts';
import type { Series } from './measure/run-rounds.ts';
import type { Spread } from './measure/statistics.ts';
import { summarize, type Comparison, type Goal } from './report.ts';

/** The figures of one series, medians over its rounds. */
export function seriesTable(series: Series): string {
  const rows = Object.entries(summarize(series)).map(([name, row]) => tableRow(name, row));
  return [
    `\n${series.connections} connections, bodies of ${series.bodyBytes} bytes`,
    '  target     requests/s   p50 us   p99 us   CPU us/request',
    ...rows,
  ].join('\n');
}

export function comparisonLines(comparison: Comparison): string {
  const lines: [string, Spread | null][] = [
    ['requests/s against naive', comparison.rps_vs_naive],
    ['CPU/request against naive', comparison.cpu_vs_naive],
    ['requests/s against nginx', comparison.rps_vs_nginx],
    ['CPU/request against nginx', comparison.cpu_vs_nginx],
    ['added p50 against naive', comparison.added_latency_vs_naive],
  ];
  return lines.flatMap(([name, spread]) => (spread === null ? [] : [spreadLine(name, spread)])).join('\n');
}

export function goalLines(goals: readonly Goal[]): string {
  return goals
    .map(({ name, value, met }) => {
      const verdict = met === null ? 'not measured' : met ? 'met' : 'MISSED';
      return `  ${verdict.padEnd(12)} ${name}${value === null ? '' : ` (${value.toFixed(2)})`}`;
    })
    .join('\n');
}

function tableRow(name: string, row: Measurement): string {
  const cpu = row.cpuUsPerRequest === null ? '-' : row.cpuUsPerRequest.toFixed(0);
  const columns = [row.requestsPerSecond.toFixed(0), row.p50Us.toFixed(0), row.p99Us.toFixed(0), cpu];
  const [rps = '', p50 = '', p99 = '', last = ''] = columns;
  const errors = row.errors > 0 ? `   ${row.errors} ERRORS` : '';
  return `  ${name.padEnd(9)} ${rps.padStart(11)} ${p50.padStart(8)} ${p99.padStart(8)} ${last.padStart(16)}${errors}`;
}

function spreadLine(name: string, { median, min, max }: Spread): string {
  return `  penstock: ${name.padEnd(26)} ${median.toFixed(2)} x  [${min.toFixed(2)} .. ${max.toFixed(2)}]`;
}
