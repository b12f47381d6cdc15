import { HEADERS } from '@penstock/protocol';
import type { RequestRecord } from '../usage/index.js';
import { HEADER_TOKEN } from './domain/header-token.js';

/** Keeps the id a client gave its request, beside ours, where it can be sent back. */
export function noteClientId(sent: string | undefined, record: RequestRecord, ownHeaders: string[]): void {
  if (sent === undefined || !HEADER_TOKEN.test(sent)) return;
  record.clientRequestId = sent;
  ownHeaders.push(HEADERS.clientRequestId, sent);
}
