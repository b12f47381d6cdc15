import { AppError } from '@penstock/protocol';

/** Printable ASCII but for the fragment, which never travels. Dot segments and escapes are the replica's to read. */
const ORIGIN_FORM = /^\/[!"$-~]*$/;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)([^#]*)$/i;

/**
 * Path and query as they go to a replica: as they were sent. A target in absolute form, as clients send it to proxies,
 * counts when it names the host of the request.
 * @throws AppError `invalid_request`
 */
export function replicaPath(target: string, host: string): string {
  if (ORIGIN_FORM.test(target)) return target;
  const absolute = ABSOLUTE_FORM.exec(target);
  if (absolute !== null && absolute[1]?.toLowerCase() === host.toLowerCase()) {
    const rest = absolute[2] ?? '';
    const path = rest.startsWith('/') ? rest : `/${rest}`;
    if (ORIGIN_FORM.test(path)) return path;
  }
  throw new AppError('invalid_request', 'The request target is not a path of printable ASCII characters.');
}
