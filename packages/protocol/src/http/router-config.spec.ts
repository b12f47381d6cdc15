import { describe, expect, it } from '@jest/globals';
import { loadFixture } from '../../fixtures/load-fixture.js';
import {
  etagMatches,
  revisionEtag,
  routerConfigOutlineSchema,
  routerConfigQuerySchema,
  routerConfigSchema,
} from './router-config.js';

interface Exchange {
  readonly name: string;
  readonly request: { readonly path: string; readonly headers?: Readonly<Record<string, string>> };
  readonly status: number;
  readonly response_headers?: Readonly<Record<string, string>>;
  readonly response: unknown;
}

const fixture = loadFixture<{
  readonly exchanges: readonly Exchange[];
  readonly lenient_inputs: readonly {
    readonly name: string;
    readonly input: unknown;
    readonly canonical: unknown;
  }[];
}>('router-config');

const conditional = fixture.exchanges.filter(({ status }) => status === 200 || status === 304);
const answered = conditional.filter(({ status }) => status === 200);

describe('routerConfigSchema', () => {
  it.each(answered)('reads the answer to $name unchanged', ({ response }) => {
    expect(JSON.stringify(routerConfigSchema.parse(response))).toBe(JSON.stringify(response));
  });

  it.each(fixture.lenient_inputs)('reads $name into its canonical form', ({ input, canonical }) => {
    expect(JSON.stringify(routerConfigSchema.parse(input))).toBe(JSON.stringify(canonical));
  });

  it('keeps additive fields and leaves out those that are null', () => {
    const config = routerConfigSchema.parse({
      revision: 7,
      models: [
        { model: 'm', policy: { strategy: 'x', 'kept-key': 1 } },
        { model: 'n', policy: null },
      ],
      keys: [
        { key_id: 'k', token_hash: 'A'.repeat(64), 'project-id': 'p', attributes: { 'cost-center': 7 } },
        { key_id: 'l', token_hash: 'b'.repeat(64), owner: null },
      ],
    });
    expect(config.models[0]?.policy).toEqual({ strategy: 'x', 'kept-key': 1 });
    expect(config.models[1]).not.toHaveProperty('policy');
    expect(config.api_keys[0]).toMatchObject({
      token_hash: 'a'.repeat(64),
      project_id: 'p',
      attributes: { 'cost-center': 7 },
    });
    expect(config.api_keys[1]).not.toHaveProperty('owner');
  });

  it('does not lose a publication to a control mode of a later release', () => {
    const read = (control_mode: string) =>
      routerConfigSchema.parse({ revision: '1', models: [{ model: 'm', control_mode }], keys: [] });
    expect(read('strategy-managed').models[0]?.control_mode).toBe('strategy_managed');
    expect(read('of_the_future').models[0]?.control_mode).toBe('of_the_future');
  });

  it.each([
    ['no revision', { models: [], api_keys: [] }],
    ['no keys at all', { revision: '1', models: [] }],
    [
      'a hash that is a plaintext',
      { revision: '1', models: [], keys: [{ key_id: 'k', token_hash: 'sk-x' }] },
    ],
    [
      'a mapping without endpoint',
      { revision: '1', keys: [], models: [{ model: 'm', mappings: [{ ratio: 1 }] }] },
    ],
  ])('refuses a snapshot with %s as a whole', (_what, input) => {
    expect(routerConfigSchema.safeParse(input).success).toBe(false);
  });
});

describe('routerConfigOutlineSchema', () => {
  it.each(fixture.lenient_inputs)('finds the lists of $name and leaves them unread', ({ input }) => {
    const { models, api_keys } = routerConfigOutlineSchema.parse(input);
    const full = routerConfigSchema.parse({ revision: '1', models, api_keys });
    expect(full).toEqual({ ...routerConfigSchema.parse(input), revision: '1' });
  });
});

describe('conditional pull', () => {
  it.each(conditional)('decides $name as agreed', ({ request, status, response_headers }) => {
    const query = Object.fromEntries(new URL(request.path, 'http://coordinator').searchParams);
    const { known_revision } = routerConfigQuerySchema.parse(query);
    const matches = known_revision === '42' || etagMatches(request.headers?.['If-None-Match'], '42');
    expect(matches ? 304 : 200).toBe(status);
    if (response_headers !== undefined) expect(response_headers['ETag']).toBe(revisionEtag('42'));
  });
});
