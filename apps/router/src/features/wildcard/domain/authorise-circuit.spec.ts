import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AppError, parseIpList } from '@penstock/protocol';
import { endpoint } from '../../../testing/snapshots.js';
import type { EndpointTarget } from '../../snapshot/index.js';
import { TokenVerifier } from '../token-verifier.js';
import { authoriseCircuit } from './authorise-circuit.js';

interface Vectors {
  readonly jwt_secret: string;
  readonly circuit_id: string;
  readonly verify: readonly {
    readonly name: string;
    readonly method?: string;
    readonly authorization: string | null;
    readonly result: 'accept' | 'reject';
    readonly code?: string;
  }[];
}

interface IpVectors {
  readonly cases: readonly {
    readonly allowed_client_ips: string | null;
    readonly peer: string;
    readonly allowed: boolean;
  }[];
}

const FIXTURES = new URL('../../../../../../packages/protocol/fixtures/', import.meta.url);
const read = <T>(name: string) => JSON.parse(readFileSync(new URL(name, FIXTURES), 'utf8')) as T;
const jwt = read<Vectors>('jwt.json');
const lists = read<IpVectors>('ip-allowlist.json');
const NOW = Date.parse('2026-08-01T00:00:00Z');

interface Attempt {
  readonly authorization?: string | null;
  readonly peer?: string;
  readonly method?: string;
}

/** The code an attempt is refused with; null when it is let through. */
function refusal(
  circuit: EndpointTarget,
  { authorization, peer = '192.0.2.1', method = 'GET' }: Attempt,
): AppError | null {
  const tokens = new TokenVerifier(jwt.jwt_secret);
  try {
    authoriseCircuit(circuit, {
      peer,
      method,
      authorization: authorization ?? undefined,
      check: (token) => tokens.check(token, NOW),
    });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

const target = (over: Partial<EndpointTarget> = {}) => endpoint([], { circuitId: jwt.circuit_id, ...over });
const codeOf = (error: AppError | null) => error?.code ?? null;
const onlyTens = (peer: string) => parseIpList('10.0.0.0/8').allows(peer);

describe('the credential of a circuit', () => {
  it.each(jwt.verify)('decides the vector $name', ({ authorization, method, result, code }) => {
    const error = refusal(target(), { authorization, ...(method !== undefined && { method }) });
    expect(codeOf(error)).toBe(result === 'accept' ? null : code);
  });

  it('is not looked at where none is needed', () => {
    for (const authorization of [null, 'Bearer nonsense']) {
      expect(refusal(target({ requiresToken: false }), { authorization })).toBeNull();
    }
  });

  it('counts for nothing from an address that is not admitted, on OPTIONS and on open circuits too', () => {
    const good = jwt.verify[0]?.authorization ?? '';
    for (const over of [{}, { requiresToken: false }]) {
      for (const method of ['GET', 'OPTIONS']) {
        const circuit = target({ allowsClient: onlyTens, ...over });
        expect(codeOf(refusal(circuit, { authorization: good, method }))).toBe('E20011');
        expect(refusal(circuit, { authorization: good, method, peer: '10.1.2.3' })).toBeNull();
      }
    }
  });

  it('is never repeated in an error, even where its scheme is missing', () => {
    for (const authorization of ['sk-0123456789', 'Bearer', 's3cret$ x', `${'a'.repeat(40)} x`]) {
      expect(refusal(target(), { authorization })?.publicMessage).toBe('Unsupported authorization method');
    }
    expect(refusal(target(), { authorization: 'Basic Zm9v' })?.publicMessage).toMatch(/ Basic$/);
  });
});

it.each(lists.cases)(
  'list $allowed_client_ips, peer $peer: $allowed',
  ({ allowed_client_ips, peer, allowed }) => {
    const list = parseIpList(allowed_client_ips);
    const allowsClient = list.restricted ? (address: string) => list.allows(address) : null;
    const error = refusal(target({ allowsClient, requiresToken: false }), { peer });
    expect(codeOf(error)).toBe(allowed ? null : 'E20011');
  },
);
