import { readFileSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import type { Visibility } from '@penstock/protocol';

import { pickWorker, type PlacementWish } from './pick-worker.js';
import type { PlacementWorker } from './placement-worker.js';

const fixture = new URL('../../../../../../packages/protocol/fixtures/visibility.json', import.meta.url);
const { placement } = JSON.parse(readFileSync(fixture, 'utf8')) as {
  readonly placement: readonly {
    readonly visibility: Visibility;
    readonly worker_has_internal_frontend: boolean;
    readonly eligible: boolean;
  }[];
};

const internalFrontend = { host: '10.0.0.5', port: 10440, domain: '.internal.example' };

function worker(authority: string, changes: Partial<PlacementWorker> = {}): PlacementWorker {
  return {
    id: authority,
    authority,
    legacyNodes: 1,
    frontendMode: 'wildcard',
    protocol: 'http',
    hostname: `${authority}.example.com`,
    tlsListen: false,
    tlsAdvertised: false,
    apiPort: 10201,
    trafficPort: null,
    wildcardDomain: `.${authority}.example.com`,
    wildcardTrafficPort: 80,
    portRange: null,
    internalFrontend: null,
    acceptedTraffics: ['inference'],
    status: 'ALIVE',
    filteredAppsOnly: false,
    appFilters: [],
    circuits: 0,
    takenPorts: 0,
    ...changes,
  };
}

const port = (authority: string, changes: Partial<PlacementWorker> = {}) =>
  worker(authority, { frontendMode: 'port', portRange: [10501, 10504], wildcardDomain: null, ...changes });
const router = (authority: string, changes: Partial<PlacementWorker> = {}) =>
  worker(authority, { frontendMode: 'router', wildcardDomain: null, ...changes });

function pick(workers: PlacementWorker[], wish: Partial<PlacementWish> = {}) {
  return pickWorker(
    {
      protocol: 'http',
      appMode: 'inference',
      visibility: 'public',
      authority: null,
      existingUrl: null,
      properties: new Map([['session.domain_name', 'research']]),
      ...wish,
    },
    workers,
  );
}

const picked = (workers: PlacementWorker[], wish: Partial<PlacementWish> = {}) =>
  pick(workers, wish)?.worker.authority;

describe('pickWorker', () => {
  it.each<[string, PlacementWorker[], string | undefined]>([
    ['wildcard before port', [port('p'), worker('w', { circuits: 99 })], 'w'],
    [
      'the wildcard worker with the fewest circuits',
      [worker('a', { circuits: 2 }), worker('b', { circuits: 1 })],
      'b',
    ],
    [
      'the port worker with most ports left',
      [port('a', { takenPorts: 2 }), port('b', { takenPorts: 1 })],
      'b',
    ],
    [
      'the router with the fewest circuits, then by name',
      [router('c'), router('b'), router('a', { circuits: 1 })],
      'b',
    ],
    ['no full port worker', [port('p', { takenPorts: 4 })], undefined],
    ['no lost worker', [worker('w', { status: 'LOST' })], undefined],
    ['no worker of another protocol', [worker('w', { protocol: 'tcp' })], undefined],
    ['no worker for other traffic', [worker('w', { acceptedTraffics: ['interactive'] })], undefined],
  ])('takes %s', (_what, workers, expected) => {
    expect(picked(workers)).toBe(expected);
  });

  it('prefers workers whose filter matches and keeps others off filtered ones', () => {
    const filtered = worker('f', {
      filteredAppsOnly: true,
      circuits: 5,
      appFilters: [{ key: 'session.domain_name', value: 'research' }],
    });
    expect(picked([worker('a'), filtered])).toBe('f');
    const other = { ...filtered, appFilters: [{ key: 'session.domain_name', value: 'sales' }] };
    expect(picked([worker('a', { circuits: 9 }), other])).toBe('a');
  });

  it('follows a pin to a lost router, which pulls, and to no other lost worker', () => {
    expect(picked([router('a'), router('b', { status: 'LOST' })], { authority: 'b' })).toBe('b');
    expect(picked([worker('a'), worker('b', { status: 'LOST' })], { authority: 'b' })).toBeUndefined();
    expect(picked([worker('a')], { authority: 'nope' })).toBeUndefined();
  });

  it.each(placement)(
    'places $visibility on a worker with an internal frontend ($worker_has_internal_frontend): $eligible',
    ({ visibility, worker_has_internal_frontend, eligible }) => {
      const one = worker('w', { internalFrontend: worker_has_internal_frontend ? internalFrontend : null });
      expect(picked([one], { visibility }) === 'w').toBe(eligible);
      expect(picked([one], { visibility, authority: 'w' }) === 'w').toBe(eligible);
    },
  );

  it('places internal circuits on a port worker without a free port', () => {
    const full = port('p', { takenPorts: 4, internalFrontend });
    expect(picked([full], { visibility: 'internal' })).toBe('p');
  });
});

describe('an existing address', () => {
  const fleet = [worker('w', { circuits: 9 }), worker('w2'), port('p')];

  it.each([
    ['of a wildcard domain', 'http://llama-a.w.example.com:10600/', 'w', { port: null, label: 'llama-a' }],
    ['in other letters', 'http://Llama-A.W.example.com/', 'w', { port: null, label: 'llama-a' }],
    ['of a port in a range', 'http://p.example.com:10503/', 'p', { port: 10503, label: null }],
    ['of a port outside', 'http://p.example.com:12999/', 'w2', { port: null, label: null }],
    ['of another host', 'https://other.example.org/', 'w2', { port: null, label: null }],
    ['that is none', 'not a URL', 'w2', { port: null, label: null }],
  ])('%s decides', (_what, existingUrl, authority, preference) => {
    expect(pick(fleet, { existingUrl })).toMatchObject({ worker: { authority }, preference });
  });

  it('never picks a lost worker, and fails on a full one', () => {
    const existingUrl = 'http://p.example.com:10503/';
    expect(picked([worker('w'), port('p', { status: 'LOST' })], { existingUrl })).toBe('w');
    expect(picked([worker('w'), port('p', { takenPorts: 4 })], { existingUrl })).toBeUndefined();
  });

  it('of an internal circuit is one of an internal domain', () => {
    const workers = [worker('a'), worker('b', { internalFrontend })];
    const wish = { visibility: 'internal' as const, existingUrl: 'http://x.internal.example:10440/' };
    expect(pick(workers, wish)).toMatchObject({ worker: { authority: 'b' }, preference: { label: 'x' } });
  });
});
