import {
  collectDefaultMetrics,
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';

export interface MetricsOptions {
  /** Becomes the `service` label of every series. */
  readonly service: string;
  /** Process and runtime metrics (`process_*`, `nodejs_*`). Default on. */
  readonly processMetrics?: boolean;
}

type Config<T> = Omit<T, 'registers'>;

/** The metrics of one process. Names start with `penstock_`; units are seconds and bytes; labels are bounded. */
export interface Metrics {
  readonly registry: Registry;
  counter<L extends string = string>(config: Config<CounterConfiguration<L>>): Counter<L>;
  gauge<L extends string = string>(config: Config<GaugeConfiguration<L>>): Gauge<L>;
  histogram<L extends string = string>(config: Config<HistogramConfiguration<L>>): Histogram<L>;
  /** Prometheus text format; send it with `contentType`. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Upper bounds in seconds that resolve both a local hop and a long generation. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
];

/**
 * A registry of its own, so that several services can live in one process (tests do).
 * @throws Error from `counter`, `gauge` and `histogram` for a name without the prefix, or one used twice
 */
export function createMetrics({ service, processMetrics = true }: MetricsOptions): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (processMetrics) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    contentType: registry.contentType,
    counter: (config) => new Counter({ ...prefixed(config), registers }),
    gauge: (config) => new Gauge({ ...prefixed(config), registers }),
    histogram: (config) => new Histogram({ buckets: DURATION_BUCKETS, ...prefixed(config), registers }),
    text: () => registry.metrics(),
  };
}

function prefixed<T extends { name: string }>(config: T): T {
  if (!config.name.startsWith('penstock_')) {
    throw new Error(`Metric ${config.name} must be named penstock_*.`);
  }
  return config;
}
