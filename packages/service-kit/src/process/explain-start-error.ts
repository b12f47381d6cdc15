/** The errors of a start that people can mend themselves, in words that say how; undefined for all others. */
export function explainStartError(error: unknown): string | undefined {
  const { code, address, port } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown;
    address?: unknown;
    port?: unknown;
  };
  const where = `${typeof address === 'string' ? `${address} ` : ''}port ${String(port)}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where} is already in use: stop what listens there, or change the port in the configuration.`;
    case 'EACCES':
      return `${where} may not be opened by this user: choose a port above 1023, or grant the permission.`;
    case 'EADDRNOTAVAIL':
      return `${where} cannot be opened: the host in the configuration is not an address of this machine.`;
    default:
      return undefined;
  }
}
