import { resolveVisibility, WireError, type AccessWish, type CircuitAccess } from '@penstock/protocol';

/**
 * Who may reach an endpoint, whichever fields say it.
 * @throws WireError 400 when they contradict each other
 */
export function accessOf(wish: AccessWish): CircuitAccess {
  const access = resolveVisibility(wish);
  if (!access.ok) throw WireError.invalidApiParams(access.reason);
  return { visibility: access.visibility, requires_token: access.requires_token };
}
