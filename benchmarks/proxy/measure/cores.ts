/** The proxy under test has a core of its own; the load and the mock share the other. */
export const PROXY_CORE = 0;
export const LOAD_CORE = 1;
