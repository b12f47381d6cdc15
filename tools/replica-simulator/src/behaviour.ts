import { z } from 'zod';

/** How a replica answers when no fault is scripted. Times in milliseconds. */
export interface Behaviour {
  /** Silence before the first token. */
  readonly ttftMs: number;
  readonly interTokenMs: number;
  /** Length of an answer in tokens, unless the request asks for fewer. */
  readonly tokens: number;
  /** Ids and `created` follow from seed and prompt alone, so two equal requests get equal bytes. */
  readonly deterministic: boolean;
  /** Reported as KV cache usage (0..1); null derives it from the running requests. */
  readonly kvCacheUsage: number | null;
}

export const DEFAULT_BEHAVIOUR: Behaviour = {
  ttftMs: 20,
  interTokenMs: 5,
  tokens: 16,
  deterministic: false,
  kvCacheUsage: null,
};

const milliseconds = z.number().min(0).max(600_000);

/** What `PUT /behaviour` and the configuration file may set; an unknown key is an error. */
export const behaviourFields = {
  ttft_ms: milliseconds.optional(),
  inter_token_ms: milliseconds.optional(),
  tokens: z.int().min(1).max(100_000).optional(),
  deterministic: z.boolean().optional(),
  kv_cache_usage: z.number().min(0).max(1).nullable().optional(),
};

export const behaviourPatchSchema = z.strictObject(behaviourFields);
export type BehaviourPatch = z.infer<typeof behaviourPatchSchema>;

export function patchBehaviour(current: Behaviour, patch: BehaviourPatch): Behaviour {
  return {
    ttftMs: patch.ttft_ms ?? current.ttftMs,
    interTokenMs: patch.inter_token_ms ?? current.interTokenMs,
    tokens: patch.tokens ?? current.tokens,
    deterministic: patch.deterministic ?? current.deterministic,
    kvCacheUsage: patch.kv_cache_usage === undefined ? current.kvCacheUsage : patch.kv_cache_usage,
  };
}

export function describeBehaviour(behaviour: Behaviour): Required<BehaviourPatch> {
  return {
    ttft_ms: behaviour.ttftMs,
    inter_token_ms: behaviour.interTokenMs,
    tokens: behaviour.tokens,
    deterministic: behaviour.deterministic,
    kv_cache_usage: behaviour.kvCacheUsage,
  };
}
