import type { WireError } from '@penstock/protocol';

/** Something about this item of a call, which no repetition mends; a worker that cannot host it is that too. */
export function isRefusal({ status, kind }: WireError): boolean {
  return status < 500 || kind === 'workerNotAvailable';
}

/** One line for the outcome of an item. Titles alone name neither publications nor downstreams. */
export function describeRefusal({ title, msg, data }: WireError): string {
  const named = typeof data === 'object' && data !== null ? Object.values(data).flat() : [];
  return named.length === 0 ? (msg ?? title) : `${msg ?? title} (${named.map(String).join(', ')})`;
}
