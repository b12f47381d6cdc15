import { textAt } from '../checking/json.js';
import type { BusMessage, Exchange, Rewriter } from './mutation.js';

/** One thing that passed a proxy in a faultless run, and the check that caused it; `undefined` where none is known. */
export interface Passed {
  readonly checkId: string | undefined;
  readonly exchange?: Exchange;
  readonly message?: BusMessage;
  readonly stream?: string;
  readonly upgrade?: string;
}

/** The check that a request names in its User-Agent. */
export function checkOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const { 'user-agent': userAgent } = headers;
  return typeof userAgent === 'string' ? /^penstock-conformance \((.+)\)$/.exec(userAgent)?.[1] : undefined;
}

/** A rewriter that changes nothing and keeps a copy of all that passes. */
export function recorder(passed: Passed[]): Rewriter {
  return {
    answer: (exchange) => passed.push({ checkId: checkOf(exchange.sentHeaders), exchange: copyOf(exchange) }),
    message: (message) =>
      passed.push({ checkId: checkOfMessage(message), message: structuredClone(message) }),
  };
}

/** Ids of the checks that see other bytes under this rewriter; `undefined` for what belongs to no known check. */
export function reachedBy(rewriter: Rewriter, passed: readonly Passed[]): readonly (string | undefined)[] {
  const reached = passed.filter(({ exchange, message, stream, upgrade }) => {
    if (exchange) return changes(copyOf(exchange), (one) => rewriter.answer?.(one));
    if (message) return changes(structuredClone(message), (one) => rewriter.message?.(one));
    if (stream !== undefined) return rewriter.holds?.(stream) === true;
    return upgrade !== undefined && rewriter.upgrade?.(upgrade) !== undefined;
  });
  return [...new Set(reached.map(({ checkId }) => checkId))];
}

/** Names of workers and apps say which check they are of. */
function checkOfMessage({ payload }: BusMessage): string | undefined {
  const app = textAt(payload, 'circuits.0.app') || textAt(payload, 'circuit.app');
  if (app.startsWith('conformance-')) return app.slice('conformance-'.length);
  return /^conformance-(.+)\.\w+-\d+$/.exec(textAt(payload, 'target_worker_authority'))?.[1];
}

function changes<T>(value: T, change: (value: T) => void): boolean {
  const before = JSON.stringify(value);
  change(value);
  return JSON.stringify(value) !== before;
}

function copyOf(exchange: Exchange): Exchange {
  const { query, ...rest } = exchange;
  return { ...structuredClone(rest), query };
}
