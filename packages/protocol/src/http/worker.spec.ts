import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { canonicalCircuit, circuitsResponseSchema } from './circuit.js';
import {
  nodeReferenceSchema,
  workerRequestSchema,
  workerResponseSchema,
  workersResponseSchema,
} from './worker.js';

interface Exchange {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly response: unknown;
  readonly status: number;
}

const fixture = loadFixture<{
  readonly register: readonly Exchange[];
  readonly reject: readonly Exchange[];
  readonly accept_colocation: readonly Exchange[];
  readonly heartbeat: Exchange;
  readonly worker_detail: Exchange;
  readonly worker_list: Exchange;
  readonly circuits: Exchange;
}>('registration');

function rejected(name: string): Exchange {
  const exchange = fixture.reject.find((candidate) => candidate.name === name);
  if (exchange === undefined) throw new Error(`no case ${name}`);
  return exchange;
}

describe('workerRequestSchema', () => {
  it.each([...fixture.register, ...fixture.accept_colocation])(
    'reads the registration of $name',
    ({ body }) => {
      expect(workerRequestSchema.parse(body)).toMatchObject(body);
    },
  );

  it.each([
    ['router-with-port-range', 'port_range'],
    ['router-with-wildcard-domain', 'wildcard_domain'],
  ])('refuses %s at the field', (name, field) => {
    const paths = workerRequestSchema.safeParse(rejected(name).body).error?.issues.map(({ path }) => path);
    expect(paths).toEqual([[field]]);
  });

  it.each([
    [{ accepted_traffics: ['inference', 'interactive'] }, 'accepted_traffics'],
    [{ accepted_traffics: [] }, 'accepted_traffics'],
    [{ protocol: 'grpc' }, 'protocol'],
  ])('refuses a router that claims %j', (change, field) => {
    const router = fixture.register.find(({ name }) => name === 'router');
    const result = workerRequestSchema.safeParse({ ...router?.body, ...change });
    expect(result.error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  it('leaves a missing slot field of a stock worker to the coordinator, whose error has its own type', () => {
    expect(workerRequestSchema.safeParse(rejected('port-without-range').body).success).toBe(true);
  });

  it('defaults what a minimal router leaves out', () => {
    const minimal = fixture.register.find(({ name }) => name === 'router-minimal');
    expect(workerRequestSchema.parse(minimal?.body)).toMatchObject({
      node_id: null,
      traffic_port: null,
      app_filters: [],
      port_range: null,
    });
  });

  it('reads kebab-case, numbers in strings and the internal frontend', () => {
    const router = fixture.register.find(({ name }) => name === 'router');
    const { api_port, node_id, ...rest } = router?.body ?? {};
    const worker = workerRequestSchema.parse({
      ...rest,
      'api-port': String(api_port),
      'node-id': node_id,
      api_port: 1,
      'internal-frontend': { host: '10.9.0.1', port: 8081, domain: '.svc.internal' },
    });
    expect(worker).toMatchObject({
      api_port,
      node_id,
      internal_frontend: { host: '10.9.0.1', port: 8081, domain: '.svc.internal' },
    });
  });

  it('names every missing field', () => {
    const paths = workerRequestSchema.safeParse({}).error?.issues.map(({ path }) => path[0]);
    expect(paths).toEqual([
      'authority',
      'frontend_mode',
      'protocol',
      'hostname',
      'tls_listen',
      'tls_advertised',
      'api_port',
      'filtered_apps_only',
      'accepted_traffics',
    ]);
  });
});

describe('worker answers', () => {
  it.each(fixture.register)('reads the answer to $name unchanged', ({ response }) => {
    expect(JSON.parse(JSON.stringify(workerResponseSchema.parse(response)))).toStrictEqual(response);
  });

  it('reads details of one worker, and the list of all', () => {
    const { worker_detail, worker_list } = fixture;
    expect(workerResponseSchema.parse(worker_detail.response)).toStrictEqual(worker_detail.response);
    expect(workersResponseSchema.parse(worker_list.response)).toStrictEqual(worker_list.response);
  });

  it('reads nodes given as an array, as the proposal text has it', () => {
    const detail = fixture.worker_detail.response as { readonly node_details: readonly unknown[] };
    const { node_details, ...worker } = detail;
    expect(workerResponseSchema.parse({ ...worker, nodes: node_details })).toStrictEqual(detail);
  });

  it('reads the circuits of a worker unchanged', () => {
    const { circuits } = circuitsResponseSchema.parse(fixture.circuits.response);
    expect({ circuits: circuits.map(canonicalCircuit) }).toStrictEqual(fixture.circuits.response);
  });
});

describe('nodeReferenceSchema', () => {
  it('reads the node of a heartbeat, and the nothing that a stock worker sends', () => {
    expect(nodeReferenceSchema.parse(fixture.heartbeat.body)).toEqual(fixture.heartbeat.body);
    expect(nodeReferenceSchema.parse({})).toEqual({ node_id: null });
  });
});
