import { describe, expect, it } from '@jest/globals';
import { envelopeForms } from '../../fixtures/envelope-forms.js';
import { acceptedBy, type Generation } from '../../fixtures/peer-generations.js';
import { acceptanceCases, busMessages, recordedEvents } from '../../fixtures/recorded-events.js';
import { decodeEnvelope } from './decode-envelope.js';
import { encodeEnvelope, type EnvelopeMode } from './encode-envelope.js';
import { EVENT_NAMES, type AppProxyEvent } from './event.js';

const READERS: Readonly<Record<EnvelopeMode, Readonly<Record<Generation, boolean>>>> = {
  tuple: { A: true, B: true, C: false },
  json: { A: false, B: false, C: true },
  dual: { A: true, B: true, C: true },
};
const MODES = Object.keys(READERS) as EnvelopeMode[];
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function decoded(text: string): AppProxyEvent {
  const result = decodeEnvelope(text);
  if (!result.ok) throw new Error(result.reason);
  return result.event;
}

describe('the model of the peers', () => {
  it.each(acceptanceCases)('judges $name as their decoders did', ({ envelope, accepted_by }) => {
    expect(acceptedBy(envelope)).toEqual(accepted_by);
  });

  it.each(recordedEvents)('has each generation read its own form of $case', (example) => {
    expect(acceptedBy(example.envelope_A_tuple)).toEqual({ A: true, B: true, C: false });
    expect(acceptedBy(example.envelope_B_tuple_26_8)).toEqual({ A: false, B: true, C: false });
    expect(acceptedBy(example.envelope_C_json)).toEqual({ A: false, B: false, C: true });
    expect(acceptedBy(example.envelope_dual)).toEqual({ A: true, B: true, C: true });
  });
});

describe('what we publish', () => {
  const events = recordedEvents.map((example) => ({
    name: example.case,
    event: decoded(example.envelope_dual),
  }));

  it.each(events)('$name: every mode is taken by the generations it is for', ({ event }) => {
    for (const mode of MODES) {
      for (const traceparent of [undefined, TRACEPARENT]) {
        const text = encodeEnvelope(event, { source: 'appproxy-coordinator', mode, traceparent });
        expect({ mode, accepted: acceptedBy(text) }).toEqual({ mode, accepted: READERS[mode] });
      }
    }
  });

  it('is taken with an internal circuit and its additive fields as well, and comes back as it was', () => {
    const created = events.map(({ event }) => event).find(({ name }) => name === EVENT_NAMES.circuitCreated);
    if (created?.name !== EVENT_NAMES.circuitCreated) throw new Error('no circuit event recorded');
    const access = { visibility: 'internal', requires_token: false, open_to_public: false } as const;
    const additive = { version: 7, served_model: 'm', ...access };
    const event = { ...created, circuits: created.circuits.map((circuit) => ({ ...circuit, ...additive })) };
    for (const mode of MODES) {
      const text = encodeEnvelope(event, { source: 's', mode });
      expect(acceptedBy(text)).toEqual(READERS[mode]);
      expect(decoded(text)).toEqual(event);
    }
  });

  it('is taken with a revision as well', () => {
    const removal = { name: EVENT_NAMES.routerKeyRemoved, authority: 'a', key_id: 'k', revision: '7' };
    for (const mode of MODES) {
      expect(acceptedBy(encodeEnvelope(removal, { source: 's', mode }))).toEqual(READERS[mode]);
    }
  });
});

describe('the forms that tests put on the bus', () => {
  it.each(recordedEvents)('$case: are those of the peers', (example) => {
    const forms = envelopeForms(decoded(example.envelope_dual), example.source);
    expect(forms).toEqual({
      A: example.envelope_A_tuple,
      B: example.envelope_B_tuple_26_8,
      C: example.envelope_C_json,
      dual: example.envelope_dual,
    });
  });
});

describe('what ran over the bus of 26.9.6', () => {
  it.each(busMessages)('$case is understood, and written again means the same', ({ envelope }) => {
    const { event, source } = accepted(envelope);
    const ours = encodeEnvelope(event, { source, mode: 'json' });
    expect(unfolded(ours)).toEqual(unfolded(envelope));
  });

  // Python prints a whole ratio as `1.0`; what has none is the same to the byte.
  it.each(busMessages.filter(({ envelope }) => !envelope.includes(':1.0')))(
    '$case is written to the very same bytes',
    ({ envelope }) => {
      const { event, source } = accepted(envelope);
      expect(encodeEnvelope(event, { source, mode: 'json' })).toBe(envelope);
    },
  );
});

function accepted(text: string) {
  const result = decodeEnvelope(text);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

/** An envelope with the JSON inside its strings parsed as well. */
function unfolded(text: string): unknown {
  const { payload, metadata, ...rest } = JSON.parse(text) as Record<string, string>;
  const parse = (json = ''): unknown => JSON.parse(json);
  return { ...rest, payload: parse(payload), metadata: parse(metadata) };
}
