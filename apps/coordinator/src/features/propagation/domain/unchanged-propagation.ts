import type { Propagation } from '@penstock/protocol';

/** Nothing changed, nobody was told. */
export function unchangedPropagation(revision: string): Propagation {
  return { status: 'unchanged', revision, first_ack_node: null, waited_ms: 0 };
}
