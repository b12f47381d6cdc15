/** Finds the addresses of a host name. An address resolves to itself. */
export interface HostResolver {
  /** @returns every address, or none when the name is unknown or the answer took too long */
  resolve(host: string): Promise<readonly string[]>;
}

export const HOST_RESOLVER = Symbol('HostResolver');
