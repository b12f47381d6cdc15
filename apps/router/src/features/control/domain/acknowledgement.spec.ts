import { describe, expect, it } from '@jest/globals';
import { circuit, route } from '../../snapshot/testing/wire-builders.js';
import { events, halves, StateHarness } from '../testing/state-harness.js';
import { acknowledgementOf } from './acknowledgement.js';

const WHO = { authority: 'authority', nodeId: 'node' };
const NOTHING = { revision: '1', models: [], api_keys: [] };

describe('the acknowledgement of a route update', () => {
  it('names the circuit and the version, and leaves the routes out', () => {
    const update = events.routesUpdated(circuit('c', 'A', { version: 3 }), [route('r1')]);
    expect(acknowledgementOf(update, WHO)).toMatchObject({
      name: 'appproxy_worker_circuit_added_event',
      authority: 'authority',
      circuits: [{ id: 'c', version: 3, route_info: [] }],
    });
  });

  it('is not sent to peers that know no versions and wait for nobody', () => {
    const update = events.routesUpdated(circuit('c', 'A'), [route('r1')]);
    expect(acknowledgementOf(update, WHO)).toBeNull();
  });

  it('waits for the pull that a tombstone made necessary', () => {
    const world = new StateHarness();
    world.pull(halves([], NOTHING));
    world.receive(events.circuitRemoved(circuit('c', 'A', { version: 5 })));
    world.receive(events.routesUpdated(circuit('c', 'A', { version: 4 }), [route('r1')]));
    world.pull(halves([], NOTHING));
    expect(world.acknowledged).toEqual([]);
    world.receive(events.routesUpdated(circuit('c', 'A', { version: 5 }), [route('r2')]));
    world.pull(halves([circuit('c', 'A', { version: 6 })], NOTHING));
    expect(world.acknowledged).toEqual(['circuit_added[c]']);
  });
});
