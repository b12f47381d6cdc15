import type { PutModelBody } from '@penstock/protocol';

export interface PublicationState {
  readonly name: string;
  readonly control_mode: string;
  readonly policy: Readonly<Record<string, unknown>> | null;
  readonly names: readonly {
    readonly name: string;
    readonly is_primary: boolean;
    readonly position: number;
  }[];
  readonly endpoints: readonly {
    readonly endpoint_id: string;
    readonly ratio: number;
    readonly position: number;
  }[];
}

/** The full state of a publication; a deployment's endpoint has the deployment's id. */
export function toPutModelBody(publication: PublicationState): PutModelBody {
  return {
    aliases: publication.names
      .filter((name) => !name.is_primary)
      .sort(byPosition)
      .map(({ name }) => name),
    mappings: [...publication.endpoints]
      .sort(byPosition)
      .map(({ endpoint_id, ratio }) => ({ endpoint_id, ratio })),
    control_mode: publication.control_mode === 'manual' ? 'manual' : 'strategy_managed',
    ...(publication.policy !== null && { policy: publication.policy }),
  };
}

function byPosition(a: { position: number }, b: { position: number }): number {
  return a.position - b.position;
}
