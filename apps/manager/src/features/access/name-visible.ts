import { canSee, type Principal } from './domain/principal.js';

/** Names at most that one sentence lists. */
const NAMED_MAX = 20;

/**
 * The objects in the way of a change, for a sentence: those the caller may see by name and id, the others by number.
 * @param rows - at least one
 */
export function nameVisible(
  principal: Principal,
  rows: readonly { readonly id: string; readonly name: string; readonly project_id: string }[],
): string {
  const visible = rows.filter(({ project_id }) => canSee(principal, project_id)).slice(0, NAMED_MAX);
  const others = rows.length - visible.length;
  const named = visible.map(({ id, name }) => `${name} (${id})`);
  if (others > 0) named.push(visible.length === 0 ? `${others} in other projects` : `${others} more`);
  return named.join(', ');
}
