/** Token of the router authority that new objects belong to when their maker names none. */
export const DEFAULT_AUTHORITY = Symbol('default authority');
