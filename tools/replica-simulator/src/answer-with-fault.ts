import type { Answer } from './answer.js';
import type { Exchange, Pace } from './exchange.js';
import type { Fault } from './faults.js';
import { errorBody } from './wire-errors.js';

/** Answers as behaved, or as the fault says. */
export function answerWithFault(exchange: Exchange, answer: Answer, pace: Pace, fault: Fault | null): void {
  exchange.entry.fault = fault?.kind ?? null;
  switch (fault?.kind) {
    case undefined:
      return sendAnswer(exchange, answer, pace);
    case 'hang':
      return;
    // The listener is closed already; this request was in the door.
    case 'refuse':
    case 'cut_before_first_byte':
      return exchange.cut();
    case 'status':
      return sendError(exchange, fault.status, fault.retry_after);
    case 'rate_limit':
      return sendError(exchange, 429, fault.retry_after);
    case 'cut_after_head':
      return exchange.cutAfterHead(
        answer.kind === 'events' ? 'text/event-stream; charset=utf-8' : 'application/json',
      );
    case 'cut_mid_stream':
      return cutInside(exchange, answer, pace, fault.after_events);
    case 'slow':
      return sendAnswer(exchange, answer, { ttftMs: fault.ttft_ms, interTokenMs: fault.inter_token_ms });
    case 'malformed':
      return sendMalformed(exchange, answer, fault.what);
  }
}

function sendAnswer(exchange: Exchange, answer: Answer, pace: Pace): void {
  if (answer.kind === 'events') return exchange.stream(answer.events, pace);
  exchange.after(pace.ttftMs + answer.tokens * pace.interTokenMs, () =>
    exchange.send(200, 'application/json', answer.body),
  );
}

function sendError(exchange: Exchange, status: number, retryAfter: string | number | undefined): void {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  exchange.json(status, errorBody(status, `Scripted answer ${status}.`), headers);
}

function cutInside(exchange: Exchange, answer: Answer, pace: Pace, afterEvents: number): void {
  if (answer.kind === 'events') return exchange.stream(answer.events, pace, afterEvents);
  exchange.after(pace.ttftMs, () => exchange.cutInsideBody(answer.body));
}

function sendMalformed(exchange: Exchange, answer: Answer, what: 'body' | 'http'): void {
  if (what === 'http') return exchange.sendGarbage('this is not HTTP\r\n\r\n');
  if (answer.kind === 'body') return exchange.send(200, 'application/json', answer.body.slice(0, -20));
  exchange.stream(['data: {"id":"chatcmpl-broken","choices":[{"delta"\n\n', 'data: [DONE]\n\n'], NO_DELAY);
}

const NO_DELAY: Pace = { ttftMs: 0, interTokenMs: 0 };
