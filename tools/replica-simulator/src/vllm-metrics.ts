import type { EngineSlots } from './engine-slots.js';
import type { ReplicaStats } from './replica-stats.js';

interface MetricsInput {
  readonly model: string;
  readonly slots: EngineSlots;
  readonly stats: ReplicaStats;
  /** Share of the KV cache in use, 0..1. */
  readonly kvCacheUsage: number;
}

/** Prometheus text under the names vLLM uses; both spellings of the cache gauge, as versions differ. */
export function vllmMetrics({ model, slots, stats, kvCacheUsage }: MetricsInput): string {
  const labels = `model_name="${model.replace(/["\\\n]/g, '_')}",engine="0"`;
  const metric = (type: string, name: string, help: string, rows: readonly [string, number][]): string =>
    [
      `# HELP vllm:${name} ${help}`,
      `# TYPE vllm:${name} ${type}`,
      ...rows.map(([extra, value]) => `vllm:${name}{${labels}${extra}} ${value}`),
    ].join('\n');
  const gauge = (name: string, help: string, value: number): string =>
    metric('gauge', name, help, [['', value]]);
  const counter = (name: string, help: string, value: number): string =>
    metric('counter', name, help, [['', value]]);
  return `${[
    gauge('num_requests_running', 'Number of requests in model execution batches.', slots.running),
    gauge('num_requests_waiting', 'Number of requests waiting to be processed.', slots.waiting),
    gauge('gpu_cache_usage_perc', 'GPU KV-cache usage. 1 means 100 percent usage.', kvCacheUsage),
    gauge('kv_cache_usage_perc', 'KV-cache usage. 1 means 100 percent usage.', kvCacheUsage),
    counter('prompt_tokens_total', 'Number of prefill tokens processed.', stats.promptTokens),
    counter('generation_tokens_total', 'Number of generation tokens processed.', stats.generationTokens),
    metric(
      'counter',
      'request_success_total',
      'Count of successfully processed requests.',
      [...stats.finished].map(([reason, value]) => [`,finished_reason="${reason}"`, value]),
    ),
  ].join('\n')}\n`;
}
