import { expect } from '@jest/globals';

import type { Answer } from './answer.js';
import { API_SECRET, type Call, type CoordinatorInstance } from './coordinator-instance.js';
import { loadVectors, withoutGenerated, withPlaceholders, type Placeholders } from './vectors.js';

/** One call that was recorded, and what the coordinator 26.9.6 answered. */
export interface RecordedExchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly secret?: boolean;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly raw_body?: string;
  };
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: unknown;
}

/** What ours answers where it means to differ; a function looks at the answer itself. */
export type Ours = Readonly<Record<string, Partial<RecordedExchange> | ((answer: Answer) => void)>>;

const file = loadVectors<Readonly<Record<string, readonly RecordedExchange[]>>>('recorded-http.json');

/** The recorded calls of a section, in order. */
export function recordedSection(name: string): readonly RecordedExchange[] {
  const section = file[name];
  if (section === undefined) throw new Error(`no recorded section ${name}`);
  return section.filter(({ request }) => (request as unknown) !== undefined);
}

/** Sends a recorded call and compares the answer, or has `ours` look at it. */
export async function replayRecorded(
  coordinator: CoordinatorInstance,
  exchange: RecordedExchange,
  { ours = {}, placeholders = {} }: { readonly ours?: Ours; readonly placeholders?: Placeholders } = {},
): Promise<Answer> {
  const own = ours[exchange.name];
  const wanted = withPlaceholders(typeof own === 'object' ? { ...exchange, ...own } : exchange, placeholders);
  const answer = await coordinator.call(wanted.request.method, wanted.request.path, callOf(wanted.request));
  if (typeof own === 'function') own(answer);
  else expectRecorded(answer, wanted);
  return answer;
}

function callOf({ secret, headers = {}, body, raw_body }: RecordedExchange['request']): Call {
  return {
    headers: { ...(secret === true && { 'x-backendai-token': API_SECRET }), ...headers },
    ...(body !== undefined && { body }),
    ...(raw_body !== undefined && { rawBody: raw_body }),
  };
}

function expectRecorded(answer: Answer, { name, status, headers = [], body }: RecordedExchange): void {
  expect({ name, status: answer.status }).toEqual({ name, status });
  for (const [header, value] of headers) {
    if (!CHANGING.has(header))
      expect({ header, value: answer.headers.get(header) }).toEqual({ header, value });
  }
  if (body !== undefined) expect(comparable(answer.body)).toEqual(comparable(body));
}

/** `Location` and `Set-Cookie` carry tokens; the tests that mint them compare those. */
const CHANGING = new Set(['Location', 'Set-Cookie']);

/** A body without what differs from run to run. Of refused fields, the places count: the words are the validator's. */
export function comparable(body: unknown): unknown {
  if (typeof body === 'string') return body === '' ? null : body;
  const text = JSON.stringify(withoutGenerated(body) ?? null)
    .replaceAll(/-[0-9a-f]{8}(?=[."])/g, '-<hex>')
    .replaceAll(/eyJ[\w.-]+/g, '<jwt>');
  const value = JSON.parse(text) as { data?: Record<string, unknown> } | null;
  const { errors, allowed_methods: allowed } = value?.data ?? {};
  if (Array.isArray(errors)) return { ...value, data: errors.map(placeOf).toSorted() };
  if (Array.isArray(allowed)) return { ...value, data: allowed.toSorted() };
  return value;
}

function placeOf(issue: unknown): string {
  return (issue as { readonly loc: readonly unknown[] }).loc.join('.');
}
