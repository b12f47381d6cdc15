const JSON_TYPE = 'application/json';

/** Whether an Accept header names JSON itself; a wildcard means a browser, which wants to be sent on. */
export function namesJson(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((entry) => entry.split(';', 1)[0]?.trim().toLowerCase());
  return types.includes(JSON_TYPE);
}
