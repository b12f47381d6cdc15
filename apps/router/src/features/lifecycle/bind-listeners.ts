import type { AddressInfo } from 'node:net';
import { systemErrorCode } from '../../system-error.js';
import type { ListenAddress } from '../ingress/index.js';
import { StartupError } from './startup-error.js';

/** One listener to open. */
export interface Listener {
  /** Key of its section in the configuration. */
  readonly name: 'public' | 'internal' | 'admin';
  readonly address: ListenAddress;
  readonly start: () => Promise<AddressInfo>;
}

/**
 * Opens all listeners.
 * @throws StartupError that names every address which could not be bound; the caller closes the others
 */
export async function bindListeners(
  listeners: readonly Listener[],
): Promise<ReadonlyMap<string, AddressInfo>> {
  const bound = new Map<string, AddressInfo>();
  const problems: string[] = [];
  for (const listener of listeners) {
    try {
      bound.set(listener.name, await listener.start());
    } catch (error) {
      problems.push(explain(listener, error));
    }
  }
  if (problems.length > 0) throw new StartupError(problems.join('\n'));
  return bound;
}

function explain({ name, address }: Listener, error: unknown): string {
  const code = systemErrorCode(error) ?? 'unknown error';
  const where = `${name} listener: ${address.host} port ${address.port}`;
  const change = `change ${name}.host or ${name}.port`;
  if (code === 'EADDRINUSE') return `${where} is taken by another process; stop it or ${change}`;
  if (code === 'EACCES') return `${where} may not be used by this user; ${change}`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${where} is no address of this machine; ${change}`;
  return `${where} cannot be bound (${code}); ${change}`;
}
