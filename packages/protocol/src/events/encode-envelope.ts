import type { AppProxyEvent } from './event.js';
import { packStrings } from './msgpack.js';
import { toWireForm } from './wire-form.js';

/** `tuple`: releases up to 26.8. `json`: from 26.9. `dual`: both bodies at once, the one form every release reads. */
export type EnvelopeMode = 'tuple' | 'json' | 'dual';

export interface EncodeOptions {
  /** `EVENT_SOURCES.coordinator` or `.worker`. */
  readonly source: string;
  readonly mode?: EnvelopeMode;
  /** W3C trace context. A top-level key, which every release ignores; a third metadata key would make old ones drop the event. */
  readonly traceparent?: string | undefined;
}

const TWO_KEYS = '{"request_id":null,"user":null}';

/** The text to publish on the channel. Key order and escaping are those of the peers, so the bytes are too. */
export function encodeEnvelope(event: AppProxyEvent, options: EncodeOptions): string {
  const { source, mode = 'dual', traceparent } = options;
  const form = toWireForm(event);
  return JSON.stringify({
    name: event.name,
    source,
    ...(mode === 'json' ? {} : { args: packStrings(form.args).toString('base64') }),
    ...(mode === 'tuple' ? {} : { payload: JSON.stringify(form.payload) }),
    metadata: mode === 'json' ? fourKeys(traceparent) : TWO_KEYS,
    ...(traceparent === undefined ? {} : { traceparent }),
  });
}

function fourKeys(traceparent: string | undefined): string {
  return JSON.stringify({
    request_id: null,
    user: null,
    triggered_user: null,
    traceparent: traceparent ?? null,
  });
}
