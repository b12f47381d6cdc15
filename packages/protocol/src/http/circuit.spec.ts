import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { canonicalCircuit, circuitSchema, type Circuit } from './circuit.js';

interface CircuitFixture {
  readonly valid: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly canonical_output: Circuit;
  }[];
  readonly invalid_for_python_models: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly error_paths: readonly string[];
  }[];
}

const fixture = loadFixture<CircuitFixture>('circuits');

/** The only refused input of the Python models that is meant to pass here: they predate ROUTER. */
const ROUTER_ON_OLD_PEERS = 'frontend-router-on-old-python';

function comparable(circuit: Circuit) {
  return {
    ...circuit,
    created_at: Date.parse(circuit.created_at),
    updated_at: Date.parse(circuit.updated_at),
  };
}

describe('circuitSchema', () => {
  it.each(fixture.valid)('reads $name into its canonical form', ({ input, canonical_output }) => {
    const circuit = canonicalCircuit(circuitSchema.parse(input));
    expect(JSON.parse(JSON.stringify(comparable(circuit)))).toStrictEqual(comparable(canonical_output));
    expect(Object.keys(circuit)).toEqual(Object.keys(canonical_output));
    expect(circuit.route_info.map((route) => Object.keys(route))).toEqual(
      canonical_output.route_info.map((route) => Object.keys(route)),
    );
  });

  it.each(fixture.valid)('reads the canonical form of $name as itself', ({ canonical_output }) => {
    const read = canonicalCircuit(circuitSchema.parse(canonical_output));
    expect(JSON.stringify(read)).toBe(JSON.stringify(canonical_output));
  });

  it.each(fixture.invalid_for_python_models.filter(({ name }) => name !== ROUTER_ON_OLD_PEERS))(
    'refuses $name and names the field',
    ({ input, error_paths }) => {
      const result = circuitSchema.safeParse(input);
      const paths = result.error?.issues.map((issue) => issue.path.join('.'));
      expect(paths).toEqual(error_paths.map((path) => path.replaceAll('-', '_')));
    },
  );

  it.each(fixture.valid)('says who may reach $name', ({ input, canonical_output }) => {
    const { visibility, requires_token } = circuitSchema.parse(input);
    expect({ visibility, requires_token }).toEqual({
      visibility: 'public',
      requires_token: !canonical_output.open_to_public,
    });
  });

  it('writes the new access fields for internal circuits only, and never calls one of them open', () => {
    const [example] = fixture.valid;
    const parse = (access: object) => circuitSchema.parse({ ...example?.canonical_output, ...access });
    const open = { open_to_public: true, visibility: 'INTERNAL', requires_token: false };
    expect(JSON.stringify(canonicalCircuit(parse(open)))).toMatch(
      /,"visibility":"internal","requires_token":false}$/,
    );
    expect(parse(open)).toMatchObject({
      open_to_public: false,
      visibility: 'internal',
      requires_token: false,
    });
    expect(parse({ visibility: 'internal' })).toMatchObject({ requires_token: true });
    const explicit = { open_to_public: true, visibility: 'public', requires_token: true };
    expect(canonicalCircuit(parse(explicit))).not.toHaveProperty('visibility');
    expect(canonicalCircuit(parse(explicit))).toMatchObject({ open_to_public: false });
  });

  it('does not take a circuit whose visibility it cannot judge', () => {
    const input = { ...fixture.valid[0]?.canonical_output, visibility: 'cluster' };
    expect(circuitSchema.safeParse(input).success).toBe(false);
  });

  it('accepts a router circuit, which old peers do not know', () => {
    const router = fixture.invalid_for_python_models.find(({ name }) => name === ROUTER_ON_OLD_PEERS);
    expect(circuitSchema.safeParse(router?.input).success).toBe(true);
  });
});
