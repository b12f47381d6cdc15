import type { EndpointItem } from '@penstock/protocol';

import type { CircuitWish } from '../../placement/index.js';
import { accessOf } from './access-of.js';
import { placementProperties } from './placement-properties.js';

/** What the circuit of an endpoint needs: every endpoint is served over HTTP, under the name of its service. */
export function toCircuitWish(item: EndpointItem): CircuitWish {
  return {
    protocol: 'http',
    appMode: 'inference',
    visibility: accessOf(item).visibility,
    authority: item.authority ?? null,
    existingUrl: item.tags.endpoint.existing_url,
    properties: placementProperties(item),
    preferredLabel: item.service_name,
    preferredPort: null,
  };
}
