import { existsSync } from 'node:fs';
import { BackingServiceError } from '../backing-service.error.js';
import type { ProcessSpec } from '../process/managed-process.js';
import { type Account, isReachable } from './run-account.js';

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

/**
 * Makes a process run as the account. Where root's private directories (`/root`, a 0700 temporary directory) lie
 * in between, the process keeps the one capability that lets it pass through them.
 */
export function asAccount(spec: ProcessSpec, account: Account | null, paths: string[]): ProcessSpec {
  if (!account) return spec;
  if (paths.every((path) => isReachable(path, account))) return { ...spec, ...account };
  const setpriv = SETPRIV.find((path) => existsSync(path));
  if (!setpriv) {
    throw new BackingServiceError(
      `PostgreSQL must not run as root, and the account it runs as cannot enter ${paths.join(' or ')}: ` +
        'use a directory that everybody may enter, or install setpriv (package util-linux).',
    );
  }
  return { ...spec, command: setpriv, args: [...passThrough(account), spec.command, ...spec.args] };
}

function passThrough(account: Account): string[] {
  return [
    `--reuid=${account.uid}`,
    `--regid=${account.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_override',
    '--ambient-caps=+dac_override',
    '--bounding-set=-all,+dac_override',
    // Without this the kernel's access(2), which initdb asks about its own programs, leaves the capability out.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
}
