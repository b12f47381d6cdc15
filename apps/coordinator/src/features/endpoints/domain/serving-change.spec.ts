import { circuitSchema } from '@penstock/protocol';
import { describe, expect, it } from '@jest/globals';

import { admissionOf, applyServing, contentOf } from './serving-change.js';

const uuid = '00000000-0000-4000-8000-000000000001';
const current = circuitSchema.parse({
  id: uuid,
  app: 'llama-a',
  protocol: 'http',
  worker: uuid,
  app_mode: 'inference',
  frontend_mode: 'wildcard',
  envs: {},
  arguments: null,
  open_to_public: false,
  allowed_client_ips: '10.0.0.0/8',
  subdomain: 'llama-a',
  served_model: 'meta/llama',
  route_info: [],
  session_ids: [],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});
const access = { visibility: 'public', requires_token: true } as const;

describe('what a route call makes of a circuit', () => {
  it('is the same where it says nothing, whatever it calls null of its access', () => {
    const { circuit } = applyServing(current, access, { visibility: null, requires_token: null });
    expect(contentOf(circuit)).toEqual(contentOf(current));
  });

  it('keeps what it does not name and clears what it calls null', () => {
    const { circuit } = applyServing(current, access, { served_model: null, allowed_client_ips: null });
    expect(circuit).toMatchObject({ served_model: null, allowed_client_ips: null, subdomain: 'llama-a' });
  });

  it('tells old readers of an open circuit, and never of an internal one', () => {
    const open = applyServing(current, access, { requires_token: false });
    expect(open.circuit.open_to_public).toBe(true);
    expect(admissionOf(open.circuit)).not.toEqual(admissionOf(current));
    const internal = applyServing(open.circuit, open.access, { visibility: 'internal' });
    expect(internal).toMatchObject({
      circuit: { open_to_public: false },
      access: { visibility: 'internal', requires_token: false },
    });
  });
});
