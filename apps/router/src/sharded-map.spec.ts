import { describe, expect, it } from '@jest/globals';
import { ShardedMap } from './sharded-map.js';

interface Item {
  readonly id: string;
}

const item = (id: string): Item => ({ id });

function mapOf(items: readonly Item[]): ShardedMap<Item> {
  return ShardedMap.from(items.map((entry) => [entry.id, entry]));
}

const many = Array.from({ length: 2_000 }, (_, n) => item(`key-${n}`));

describe('ShardedMap', () => {
  it('reads like the map it stands for', () => {
    const map = mapOf(many);
    expect(map.size).toBe(2_000);
    expect(new Map(map)).toEqual(new Map(many.map((entry) => [entry.id, entry])));
    expect([map.get('key-7'), map.has('key-7'), map.has('other')]).toEqual([many[7], true, false]);
    expect([...map.keys()].toSorted()).toEqual(many.map(({ id }) => id).toSorted());
    const seen: Item[] = [];
    map.forEach((value) => seen.push(value));
    expect(seen).toEqual([...map.values()]);
  });

  it('leaves the original as it is when a copy changes', () => {
    const original = mapOf(many);
    const draft = original.edit();
    draft.delete('key-1');
    draft.set('key-2', item('key-2'));
    draft.set('new', item('new'));
    const changed = draft.done();
    expect([original.size, original.get('key-2'), original.has('new')]).toEqual([2_000, many[2], false]);
    expect([changed.size, changed.has('key-1'), changed.has('new')]).toEqual([2_000, false, true]);
    expect(changed.get('key-2')).not.toBe(many[2]);
  });

  it('is the same map when nothing changed', () => {
    const map = mapOf(many);
    const draft = map.edit();
    draft.set('key-1', many[1] as Item);
    draft.delete('nothing');
    expect(draft.done()).toBe(map);
  });

  it('tells what changed between two versions, whichever is older', () => {
    const older = mapOf(many);
    const draft = older.edit();
    const replacement = item('key-2');
    draft.delete('key-1');
    draft.set('key-2', replacement);
    const newer = draft.done();
    const { removed, added } = newer.changesSince(older);
    expect([new Set(removed), added]).toEqual([new Set([many[1], many[2]]), [replacement]]);
    expect(older.changesSince(newer)).toEqual({ removed: added, added: removed });
    expect(newer.changesSince(newer)).toEqual({ removed: [], added: [] });
  });
});
