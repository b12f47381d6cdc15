/** Most names (aliases, grants) one entity may list. */
export const NAMES_MAX = 1_000;

/** Most endpoints one publication may map. */
export const MAPPINGS_MAX = 1_000;

/** Most items of one bulk call. */
export const BULK_ITEMS_MAX = 10_000;

/** Most routes one endpoint may have. */
export const ROUTES_MAX = 10_000;
