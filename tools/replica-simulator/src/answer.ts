/** What an inference call gets, worked out before pace and faults are applied. */
export type Answer =
  | { readonly kind: 'body'; readonly body: string; readonly tokens: number }
  | { readonly kind: 'events'; readonly events: readonly string[] };
