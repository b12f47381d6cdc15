const SHARDS = 256;

type Shard<V> = ReadonlyMap<string, V>;

/** What is in one map and not in another; a replaced value is in both lists. */
export interface MapDifference<V> {
  readonly removed: readonly V[];
  readonly added: readonly V[];
}

/**
 * An immutable map for many entries of which few change at a time. It is cut into shards, and a changed copy shares
 * those it did not touch: to change one of 50,000 entries copies 200 of them, and two versions are told apart without
 * a look into what they share. Values are compared by identity. The order of iteration means nothing.
 */
export class ShardedMap<V extends object> implements ReadonlyMap<string, V> {
  /** Use without arguments for an empty map; only drafts know shards. */
  constructor(
    private readonly shards: readonly Shard<V>[] = Array<Shard<V>>(SHARDS).fill(new Map()),
    readonly size = 0,
  ) {}

  /** Of two entries with one key the last counts. */
  static from<V extends object>(entries: Iterable<readonly [string, V]>): ShardedMap<V> {
    const draft = new ShardedMap<V>().edit();
    for (const [key, value] of entries) draft.set(key, value);
    return draft.done();
  }

  get(key: string): V | undefined {
    return this.shards[shardOf(key)]?.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Starts a changed copy. */
  edit(): ShardedMapDraft<V> {
    return new ShardedMapDraft(this, this.shards);
  }

  /** Costs as much as the shards that differ are large. */
  changesSince(older: ShardedMap<V>): MapDifference<V> {
    const difference = { removed: [] as V[], added: [] as V[] };
    this.shards.forEach((shard, index) => {
      const before = older.shards[index] as Shard<V>;
      if (shard === before) return;
      difference.removed.push(...absentFrom(shard, before));
      difference.added.push(...absentFrom(before, shard));
    });
    return difference;
  }

  *entries(): Generator<[string, V], undefined> {
    for (const shard of this.shards) yield* shard.entries();
  }

  *keys(): Generator<string, undefined> {
    for (const shard of this.shards) yield* shard.keys();
  }

  *values(): Generator<V, undefined> {
    for (const shard of this.shards) yield* shard.values();
  }

  [Symbol.iterator](): Generator<[string, V], undefined> {
    return this.entries();
  }

  forEach(visit: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }
}

/** A changed copy in the making: a shard is copied when it is first touched. */
export class ShardedMapDraft<V extends object> {
  private shards: Shard<V>[] | null = null;
  private readonly copied = new Map<number, Map<string, V>>();
  private count: number;

  constructor(
    private readonly original: ShardedMap<V>,
    private readonly originalShards: readonly Shard<V>[],
  ) {
    this.count = original.size;
  }

  get size(): number {
    return this.count;
  }

  get(key: string): V | undefined {
    return this.shard(shardOf(key)).get(key);
  }

  set(key: string, value: V): void {
    const index = shardOf(key);
    const held = this.shard(index).get(key);
    if (held === value) return;
    if (held === undefined) this.count += 1;
    this.copyOf(index).set(key, value);
  }

  delete(key: string): void {
    const index = shardOf(key);
    if (!this.shard(index).has(key)) return;
    this.count -= 1;
    this.copyOf(index).delete(key);
  }

  /** The changed map, or the original one when nothing changed. The draft must not be used any more. */
  done(): ShardedMap<V> {
    return this.shards === null ? this.original : new ShardedMap(this.shards, this.count);
  }

  private shard(index: number): Shard<V> {
    return (this.shards ?? this.originalShards)[index] as Shard<V>;
  }

  private copyOf(index: number): Map<string, V> {
    const known = this.copied.get(index);
    if (known !== undefined) return known;
    this.shards ??= [...this.originalShards];
    const copy = new Map(this.shards[index]);
    this.copied.set(index, copy);
    this.shards[index] = copy;
    return copy;
  }
}

/** Values of `shard` that `other` does not hold under the same key. */
function absentFrom<V>(other: Shard<V>, shard: Shard<V>): V[] {
  const values: V[] = [];
  for (const [key, value] of shard) if (other.get(key) !== value) values.push(value);
  return values;
}

/** Spreads any kind of id evenly, also ones that only differ in a few characters. */
function shardOf(key: string): number {
  let hash = 0;
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) & (SHARDS - 1);
}
