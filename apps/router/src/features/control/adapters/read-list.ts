import type { z } from 'zod';
import { sameJson } from '../domain/same-json.js';
import { parseAnswer } from './parse-answer.js';

/** One list of an answer. */
interface ListOf<Item> {
  /** What the answer is, for messages. */
  readonly what: string;
  /** Where the list is in it. */
  readonly field: string;
  readonly schema: z.ZodType<Item>;
  readonly idField: keyof Item & string;
  /** By id. */
  readonly held: ReadonlyMap<string, Item>;
}

/**
 * Reads a list item by item, with a pause after each. An item that equals one held is that one: it was validated when
 * it came, so that a list costs little more than what is new in it.
 * @throws CoordinatorError `unreadable` at the first item that does not validate
 */
export function* readList<Item extends object>(
  items: readonly unknown[],
  list: ListOf<Item>,
): Generator<void, Item[]> {
  const read: Item[] = [];
  for (const [index, item] of items.entries()) {
    read.push(heldLike(item, list) ?? readItem(item, index, list));
    yield;
  }
  return read;
}

/** What is written differently may still say the same. */
function readItem<Item extends object>(item: unknown, index: number, list: ListOf<Item>): Item {
  const parsed = parseAnswer(list.schema, item, list.what, [list.field, index]);
  return heldLike(parsed, list) ?? parsed;
}

function heldLike<Item extends object>(item: unknown, { held, idField }: ListOf<Item>): Item | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const known = held.get(String((item as Readonly<Record<string, unknown>>)[idField]));
  return known !== undefined && sameJson(known, item) ? known : undefined;
}
