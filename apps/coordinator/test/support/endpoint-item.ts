import { randomUUID } from 'node:crypto';

/** One item of a bulk creation, as a manager sends it. */
export function endpointItem(fields: Readonly<Record<string, unknown>> = {}): {
  readonly deployment_id: string;
  readonly [field: string]: unknown;
} {
  const deployment_id = randomUUID();
  return {
    deployment_id,
    service_name: 'llama-a',
    tags: {
      session: { user_uuid: randomUUID(), project_id: randomUUID(), domain_name: 'default' },
      endpoint: { id: deployment_id, runtime_variant: 'vllm', existing_url: null },
    },
    ...fields,
  };
}

/** The same item asking for an address it had before. */
export function withExistingUrl(
  item: ReturnType<typeof endpointItem>,
  existing_url: string,
): ReturnType<typeof endpointItem> {
  const tags = item['tags'] as { readonly endpoint: object };
  return { ...item, tags: { ...tags, endpoint: { ...tags.endpoint, existing_url } } };
}
