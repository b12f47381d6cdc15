import { type CircuitAccess, resolveVisibility, toOpenToPublic, type Visibility } from '@penstock/protocol';

/** What a request says about who may reach a deployment; `open_to_public` is the old spelling. */
export interface AccessInput {
  readonly visibility?: Visibility | undefined;
  readonly requires_token?: boolean | undefined;
  readonly open_to_public?: boolean | undefined;
}

export type ChosenAccess = ({ readonly ok: true } & CircuitAccess) | { readonly ok: false };

/**
 * Who may reach a deployment after a change. New fields win over the old flag. A flag that says what is so already
 * changes nothing: clients send back what they read, and an internal deployment reads as not open.
 * @param current - null for a new deployment
 */
export function chooseAccess(current: CircuitAccess | null, input: AccessInput): ChosenAccess {
  const { visibility, requires_token } = input;
  const flag = saysNothingNew(current, input) ? undefined : input.open_to_public;
  if (current !== null && flag === undefined) {
    return {
      ok: true,
      visibility: visibility ?? current.visibility,
      requires_token: requires_token ?? current.requires_token,
    };
  }
  const wish = { visibility: visibility ?? current?.visibility, requires_token, open_to_public: flag };
  const access = resolveVisibility(wish);
  if (!access.ok) return { ok: false };
  return { ok: true, visibility: access.visibility, requires_token: access.requires_token };
}

/** True contradicts internal even when it says nothing new, because then the new field says it. */
function saysNothingNew(current: CircuitAccess | null, { open_to_public, visibility }: AccessInput): boolean {
  if (current === null || (open_to_public === true && visibility === 'internal')) return false;
  return open_to_public === toOpenToPublic(current.visibility, current.requires_token);
}
