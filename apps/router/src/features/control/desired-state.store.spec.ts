import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RouterConfig } from '@penstock/protocol';
import { apiKey, circuit, publication, route } from '../snapshot/testing/wire-builders.js';
import { events, halves, pulledConfig, StateHarness } from './testing/state-harness.js';

const config = (revision: string, over: Partial<RouterConfig> = {}): RouterConfig => ({
  revision,
  models: [],
  api_keys: [],
  ...over,
});

let world: StateHarness;

beforeEach(() => {
  world = new StateHarness();
});

describe('before the first pull is whole', () => {
  it('serves nothing, whatever events say', () => {
    world.receive(events.modelUpdated(publication('m')));
    world.pull({ circuits: [], config: null });
    expect(world.snapshots.current()).toBeNull();
    world.pull({ circuits: null, config: pulledConfig(config('1')) });
    expect(world.snapshots.current()?.revision).toBe('1');
  });
});

describe('numbers', () => {
  beforeEach(() => world.pull(halves([], config('10', { models: [publication('m', { A: 1 })] }))));

  it('ignores a publication event at or before the pulled revision, and acknowledges it as contained', () => {
    world.receive(events.modelRemoved('m', '9'));
    world.receive(events.modelUpdated(publication('old'), '10'));
    expect(world.listed).toEqual(['m']);
    expect(world.acknowledged).toEqual(['model_removed[m]', 'model_updated[old]']);
  });

  it('ignores the older of two events of one publication that come in the wrong order', () => {
    world.receive(events.modelRemoved('m', '12'));
    world.receive(events.modelUpdated(publication('m'), '11'));
    expect(world.listed).toEqual([]);
    world.receive(events.modelUpdated(publication('m'), '13'));
    expect(world.listed).toEqual(['m']);
  });

  it('says which revision is served: each event without a gap counts, a gap or a hint waits for the pull', () => {
    const served = () => world.snapshots.current()?.revision;
    world.receive(events.modelUpdated(publication('n'), '11'));
    world.receive(events.keyRemoved('unknown', '12'));
    expect(served()).toBe('12');
    world.receive(events.modelRemoved('n', '14'));
    world.receive(events.keyUpdated('k', '13'));
    expect([served(), world.store.current.revision]).toEqual(['12', '10']);
    world.pull(halves([], config('14')));
    expect(served()).toBe('14');
  });

  it('takes revisions that are no numbers at their word', () => {
    world.pull(halves([], config('abc')));
    world.receive(events.modelUpdated(publication('n'), 'abb'));
    expect(world.listed).toEqual(['n']);
  });

  it('follows a pull that goes back, as after a restored backup', () => {
    world.pull(halves([], config('3', { models: [publication('before')] })));
    expect([world.listed, world.store.current.revision]).toEqual([['before'], '3']);
    world.receive(events.modelUpdated(publication('n'), '4'));
    expect(world.listed).toEqual(['before', 'n']);
  });

  it('acknowledges a key update that the pulled state contains without another pull', () => {
    world.receive(events.keyUpdated('k', '10'));
    expect([world.acknowledged, world.pullRequests]).toEqual([['key_updated[k]'], []]);
  });

  it('does not prove a removal that contradicts the state before a pull has shown it', () => {
    world.pull(halves([], config('20', { api_keys: [apiKey('k')] })));
    world.receive(events.keyRemoved('k', '15'));
    expect([world.keys, world.acknowledged, world.pullRequests]).toEqual([['k'], [], ['config']]);
    world.pull(halves([], config('20', { api_keys: [apiKey('k')] })));
    expect(world.acknowledged).toEqual([]);
    world.receive(events.keyRemoved('k', '15'));
    world.pull(halves([], config('21')));
    expect(world.acknowledged).toEqual(['key_removed[k]']);
  });
});

describe('circuits', () => {
  const at = (version: number, ...routes: string[]) =>
    circuit('c', 'A', { version, route_info: routes.map((id) => route(id)) });

  beforeEach(() => world.pull(halves([at(2, 'r2')], config('1'))));

  it('ignores an older version', () => {
    world.receive(events.routesUpdated(at(1), [route('r1')]));
    world.receive(events.circuitRemoved(at(1)));
    expect(world.routes).toEqual(['r2']);
  });

  it('does not bring a removed circuit back by an event that was sent before its removal', () => {
    world.receive(events.circuitRemoved(at(5)));
    world.receive(events.routesUpdated(at(4), [route('r4')]));
    expect(world.routes).toEqual([]);
    expect(world.pullRequests).toEqual(['all']);
  });

  it('does not bring back what a pull no longer lists, but asks again', () => {
    world.pull(halves([], null));
    world.receive(events.circuitCreated(at(3, 'r3')));
    expect([world.routes, world.acknowledged, world.pullRequests]).toEqual([[], [], ['all']]);
    world.pull(halves([at(3, 'r3')], null));
    expect([world.routes, world.acknowledged]).toEqual([['r3'], ['circuit_added[c]']]);
  });

  it('lets a peer without versions create again under an id it removed', () => {
    const unversioned = circuit('d', 'B', { route_info: [route('d1')] });
    world.receive(events.circuitCreated(unversioned));
    world.receive(events.circuitRemoved(unversioned));
    world.receive(events.routesUpdated(unversioned, [route('late')]));
    expect(world.routes).toEqual(['r2']);
    world.receive(events.circuitCreated(unversioned));
    expect(world.routes).toEqual(['r2', 'd1']);
  });
});

describe('what cannot be served', () => {
  const clash = publication('n', {}, { aliases: ['m'] });

  beforeEach(() =>
    world.pull(halves([], config('1', { models: [publication('m')], api_keys: [apiKey('k')] }))),
  );

  it('keeps the last good snapshot and asks for a pull, whose answer settles the event', () => {
    world.receive(events.modelUpdated(clash, '3'));
    expect([world.listed, world.acknowledged, world.pullRequests]).toEqual([['m'], [], ['config']]);
    world.pull(halves([], config('3', { models: [clash] })));
    expect([world.listed, world.acknowledged]).toEqual([['n', 'm'], ['model_updated[n]']]);
  });

  it('never holds up a revocation', () => {
    world.pull(halves([], config('2', { models: [publication('m'), clash], api_keys: [apiKey('k')] })));
    expect(world.refusals).toEqual(['name "m" is claimed by "m" and "n"']);
    world.receive(events.keyRemoved('k', '3'));
    expect([world.keys, world.acknowledged]).toEqual([[], ['key_removed[k]']]);
  });

  it('does not hold up circuits either', () => {
    world.pull(halves([circuit('c', 'A')], config('2', { models: [publication('m'), clash] })));
    expect([world.routes, world.store.current.revision]).toEqual([['c-r1'], '1']);
  });
});

describe('hints', () => {
  beforeEach(() => world.pull(halves([], config('1'))));

  it('waits for a pull that started after the hint', () => {
    const early = world.begin();
    world.receive(events.keyUpdated('k'));
    world.answer(early, halves(null, config('2')));
    expect(world.acknowledged).toEqual([]);
    world.pull(halves(null, null));
    expect(world.acknowledged).toEqual(['key_updated[k]']);
  });

  it('keeps waiting when a pull failed', () => {
    world.receive(events.keyUpdated('k'));
    world.pull({ circuits: null, config: null });
    expect(world.acknowledged).toEqual([]);
    world.pull(halves(null, config('2')));
    expect(world.acknowledged).toEqual(['key_updated[k]']);
  });
});
