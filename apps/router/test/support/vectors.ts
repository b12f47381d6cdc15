import { readFileSync } from 'node:fs';
import type { Circuit, RouteInfo } from '@penstock/protocol';

const FIXTURES = new URL('../../../../packages/protocol/fixtures/', import.meta.url);

/** A conformance fixture as parsed JSON. */
export function loadVectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8')) as T;
}

interface CircuitVector {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly canonical_output: Circuit;
}

export const circuitVectors = loadVectors<{
  readonly valid: readonly CircuitVector[];
  readonly invalid_for_python_models: readonly CircuitVector[];
}>('circuits');

/** Another circuit of another endpoint, told apart by a number. */
export function numbered(n: number): Pick<Circuit, 'id' | 'endpoint_id' | 'subdomain'> {
  const tail = String(n).padStart(12, '0');
  const id = `0f6b1d9a-3c44-4e0b-9a57-${tail}`;
  return { id, endpoint_id: `a3c1e5d7-2b4f-4a2b-8c3d-${tail}`, subdomain: `c${n}` };
}

/** The circuit of the vectors on a wildcard worker, with a replica on this machine. */
export function vectorCircuit(port: number, over: Partial<Circuit> = {}): Circuit {
  const [baseline] = circuitVectors.valid;
  if (baseline === undefined) throw new Error('no circuit');
  const route = baseline.canonical_output.route_info[0] as RouteInfo;
  const route_info = [{ ...route, kernel_host: '127.0.0.1', kernel_port: port, traffic_ratio: 1 }];
  return { ...baseline.canonical_output, route_info, ...over };
}
