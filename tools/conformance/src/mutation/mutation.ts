import { isObject, type Json, type JsonObject } from '../checking/json.js';

/** One HTTP exchange as it passes the rewriting proxy. `status`, `headers` and `body` may be changed. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly sentHeaders: Readonly<Record<string, string | string[] | undefined>>;
  /** Body of the request, parsed; `undefined` when it is no JSON. */
  readonly sent: Json | undefined;
  status: number;
  headers: Record<string, string | string[]>;
  /** Body of the answer: parsed JSON, or text. */
  body: Json;
  /** True when the answer broke off. Set to false to end it as if it were whole. */
  broken: boolean;
}

/** One call of a worker on its way to the coordinator. Everything may be changed. */
export interface WorkerCall {
  method: string;
  path: string;
  readonly headers: Record<string, string | string[] | undefined>;
  body: Json;
}

/** One message of the event bus as it passes the rewriting proxy. */
export interface BusMessage {
  readonly name: string;
  /** The named fields of the event; rewritten in both encodings of the envelope. */
  readonly payload: JsonObject;
  /** The envelope itself, for faults that the fields cannot express. */
  readonly envelope: JsonObject;
  /** Set to swallow the message. */
  dropped: boolean;
}

/** Changes what passes by. Made anew for each run, so it may remember. */
export interface Rewriter {
  readonly answer?: (exchange: Exchange) => void;
  readonly message?: (message: BusMessage) => void;
  /** Worker suite only: calls of the worker. */
  readonly call?: (call: WorkerCall) => void;
  /** Worker suite only: true holds a streamed answer back until it is complete. */
  readonly holds?: (path: string) => boolean;
  /** Worker suite only: what an upgraded connection suffers. `mute` loses what the worker sends. */
  readonly upgrade?: (path: string) => 'refused' | 'mute' | undefined;
}

/** A fault that a check must find. */
export interface Mutation {
  /** What the peer would be doing wrong. */
  readonly fault: string;
  readonly rewriter: () => Rewriter;
}

/** A fault in the answers of one route; `:id` in the path stands for any segment. */
export function answers(
  fault: string,
  route: `${string} /${string}`,
  change: (exchange: Exchange) => void,
): Mutation {
  return { fault, rewriter: () => ({ answer: onRoute(route, change) }) };
}

/** A fault in the messages of one event name. */
export function messages(fault: string, name: string, change: (message: BusMessage) => void): Mutation {
  return {
    fault,
    rewriter: () => ({ message: (message) => message.name === name && change(message) }),
  };
}

/** The change, applied to the exchanges of one route only. */
export function onRoute(
  route: `${string} /${string}`,
  change: (exchange: Exchange) => void,
): (exchange: Exchange) => void {
  const [method, path = ''] = route.split(' ');
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
  return (exchange) => {
    if (exchange.method === method && pattern.test(exchange.path)) change(exchange);
  };
}

/** Sets a field of the answer, when it has that field. */
export function setField(exchange: Exchange, key: string, value: Json): void {
  if (isObject(exchange.body)) exchange.body[key] = value;
}

/** True for exchanges whose request carries this value in this field. */
export function sentWith(field: string, value: Json): (exchange: Exchange) => boolean {
  return ({ sent }) => isObject(sent) && sent[field] === value;
}
