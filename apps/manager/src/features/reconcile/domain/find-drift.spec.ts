import { describe, expect, it } from '@jest/globals';

import { circuitAgrees, keyAgrees, publicationAgrees } from './compare.js';
import { findDrift } from './find-drift.js';
import { sameJson } from './same-json.js';

describe('findDrift', () => {
  it('pushes what is missing or differs, removes what was removed, and leaves the rest alone', () => {
    const wanted = new Map([
      ['same', 1],
      ['differs', 2],
      ['missing', 3],
    ]);
    const found = new Map([
      ['same', 1],
      ['differs', 0],
      ['removed', 4],
      ['foreign', 5],
    ]);
    expect(findDrift(wanted, found, new Set(['removed']), (a, b) => a === b)).toEqual({
      push: ['differs', 'missing'],
      remove: ['removed'],
      foreign: ['foreign'],
    });
  });
});

describe('sameJson', () => {
  it('ignores key order and takes an absent member for null', () => {
    expect(sameJson({ a: 1, b: { c: [1, { d: null }] } }, { b: { c: [1, {}] }, a: 1, e: null })).toBe(true);
  });

  it('keeps the order of arrays', () => {
    expect(sameJson([1, 2], [2, 1])).toBe(false);
  });
});

describe('agreement with the coordinator', () => {
  const mapping = { endpoint_id: 'e1', ratio: 0.5 };
  const publication = {
    aliases: ['a'],
    mappings: [mapping],
    control_mode: 'manual' as const,
    policy: { x: 1 },
  };

  it('compares publications by content', () => {
    expect(publicationAgrees(publication, { model: 'm', ...publication })).toBe(true);
    expect(publicationAgrees(publication, { model: 'm', ...publication, policy: undefined })).toBe(false);
    const drained = { ...publication, mappings: [{ ...mapping, ratio: 0 }] };
    expect(publicationAgrees(publication, { model: 'm', ...drained })).toBe(false);
  });

  it('compares keys by instant, and by hint in place of the hash', () => {
    const key = {
      token_hash: 'a'.repeat(64),
      display_hint: 'sk-…abcd',
      allowed_models: ['m'],
      expires_at: '2999-01-01T00:00:00.500000Z',
      rate_limit: null,
      allowed_client_ips: null,
    };
    const { token_hash: _hash, ...listed } = key;
    const there = { key_id: 'k', ...listed, expires_at: '2999-01-01T00:00:00.5Z' };
    expect(keyAgrees(key, there)).toBe(true);
    expect(keyAgrees(key, { ...there, display_hint: 'sk-…wxyz' })).toBe(false);
    expect(keyAgrees(key, { ...there, expires_at: null })).toBe(false);
  });

  it('compares routes and groups by id, whatever their order', () => {
    const routes = ['r1', 'r2'].map((id) => ({
      session_id: id,
      route_id: id,
      kernel_host: '10.0.0.1',
      kernel_port: 1,
      traffic_ratio: 1,
      replica_group_id: 'g1',
    }));
    const replica_groups = [{ id: 'g1', traffic_weight: 100, lifecycle: 'stable' as const }];
    const access = { visibility: 'public' as const, requires_token: true, allowed_client_ips: null };
    const serving = { replica_groups, served_model: null, capabilities: [] };
    const wanted = { deployment_id: 'd', routes, ...serving, ...access };
    const circuit = {
      id: 'c',
      app: 'a',
      protocol: 'http' as const,
      worker: 'w',
      app_mode: 'inference' as const,
      frontend_mode: 'router' as const,
      envs: {},
      arguments: null,
      open_to_public: false,
      allowed_client_ips: null,
      port: null,
      subdomain: null,
      user_id: null,
      endpoint_id: 'd',
      runtime_variant: null,
      route_info: [...routes]
        .reverse()
        .map((route) => ({ ...route, session_name: null, protocol: 'http' as const })),
      session_ids: [],
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      replica_groups,
    };
    expect(circuitAgrees(wanted, circuit)).toBe(true);
    expect(circuitAgrees({ ...wanted, served_model: 'm' }, circuit)).toBe(false);
    expect(circuitAgrees({ ...wanted, routes: routes.slice(1) }, circuit)).toBe(false);
    expect(circuitAgrees({ ...wanted, visibility: 'internal' }, circuit)).toBe(false);
    expect(circuitAgrees({ ...wanted, requires_token: false }, circuit)).toBe(false);
    expect(circuitAgrees({ ...wanted, requires_token: false }, { ...circuit, open_to_public: true })).toBe(
      true,
    );
    expect(circuitAgrees({ ...wanted, allowed_client_ips: '10.0.0.0/8' }, circuit)).toBe(false);
  });
});
