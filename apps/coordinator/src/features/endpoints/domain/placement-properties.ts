import type { EndpointItem } from '@penstock/protocol';

/** The properties of an endpoint that app filters of workers are matched against. */
export function placementProperties({ tags }: Pick<EndpointItem, 'tags'>): ReadonlyMap<string, string> {
  const named = [
    ...Object.entries(tags.session).map(([field, value]) => [`session.${field}`, value] as const),
    ...Object.entries(tags.endpoint).map(([field, value]) => [`endpoint.${field}`, value] as const),
  ];
  return new Map(named.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])));
}
