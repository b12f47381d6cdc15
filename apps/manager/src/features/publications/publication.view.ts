import type {
  ModelPublication,
  ModelPublicationEndpoint,
  ModelPublicationName,
} from '../../generated/prisma/client.js';

export type PublicationRow = ModelPublication & {
  readonly names: readonly ModelPublicationName[];
  readonly endpoints: readonly ModelPublicationEndpoint[];
};

/** What every read of a publication includes, in the order it was written. */
export const WITH_NAMES_AND_MAPPINGS = {
  names: { orderBy: { position: 'asc' } },
  endpoints: { orderBy: { position: 'asc' } },
} as const;

export function publicationView(row: PublicationRow) {
  const { names, endpoints: _endpoints, ...publication } = row;
  return {
    ...publication,
    aliases: names.filter(({ is_primary }) => !is_primary).map(({ name }) => name),
    mappings: mappingsOf(row),
  };
}
export type PublicationView = ReturnType<typeof publicationView>;

export function mappingsOf({ endpoints }: Pick<PublicationRow, 'endpoints'>) {
  return endpoints.map(({ endpoint_id, ratio }) => ({ deployment_id: endpoint_id, ratio }));
}
