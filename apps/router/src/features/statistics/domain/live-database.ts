/** Index of the database in which AppProxy keeps what is going on now. */
const LIVE_INDEX = '2';

/** The live database beside the event bus: the same server, another index. */
export function liveDatabaseUrl(busUrl: string): string {
  const url = new URL(busUrl);
  url.pathname = `/${LIVE_INDEX}`;
  return url.href;
}
