const FIELDS = [
  'app',
  'protocol',
  'envs',
  'args',
  'open_to_public',
  'allowed_client_ips',
  'redirect',
  'no_reuse',
  'port',
  'subdomain',
] as const;

/** The address that opens an app: what the caller said of it, then the credential. */
export function appUrl(
  baseUrl: string,
  query: Readonly<Record<string, string | undefined>>,
  credentials: { readonly token: string; readonly session_id: string },
): string {
  const search = new URLSearchParams();
  for (const field of FIELDS) {
    const value = query[field];
    if (value !== undefined) search.set(field, value);
  }
  for (const [name, value] of Object.entries(credentials)) search.set(name, value);
  return `${baseUrl.replace(/\/$/, '')}/v2/proxy/auth?${search.toString()}`;
}
