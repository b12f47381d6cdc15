import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { ConfigError } from './config-error.js';
import { loadConfig } from './load-config.js';
import { secret } from './secret.js';
import { ConfigFolder } from './testing/config-folder.js';

const schema = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: z.int().min(1).max(65_535).default(10_300),
  database_url: secret(),
  coordinator: z.strictObject({ url: z.url(), api_secret: secret().min(8) }),
  internal: z.strictObject({ host: z.string(), port: z.int() }).nullable().default(null),
  log_level: z.enum(['debug', 'info', 'warn']).default('info'),
  tls_advertised: z.boolean().default(false),
  trusted_proxies: z.array(z.string()).default([]),
  admin_token_output_file: z.string().optional(),
});

const GOOD = `
database_url: postgresql://localhost/x
coordinator:
  url: http://127.0.0.1:10200
  api_secret: long-enough
`;

describe('loadConfig', () => {
  let folder: ConfigFolder;

  beforeEach(() => {
    folder = new ConfigFolder();
  });
  afterEach(() => folder.remove());

  function load(text: string | null, env: Record<string, string> = {}, argv: string[] = []) {
    const file = text === null ? {} : { file: folder.write('router.yaml', text) };
    return loadConfig({ service: 'router', schema, env, argv, ...file });
  }

  function problemsOf(text: string | null, env: Record<string, string> = {}, argv: string[] = []): string[] {
    try {
      load(text, env, argv);
      return [];
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems.map((problem) => problem.replaceAll(folder.path, ''));
    }
  }

  it('reads a file and fills in the defaults', () => {
    expect(load(GOOD).value).toMatchObject({ port: 10_300, internal: null, trusted_proxies: [] });
  });

  it('reads JSON as well', () => {
    const value = { database_url: 'x', coordinator: { url: 'http://a', api_secret: 'long-enough' } };
    expect(load(JSON.stringify(value)).value.database_url).toBe('x');
  });

  it('reports every problem at once, each with its place and what to do', () => {
    const text = [
      'prot: 1',
      'port: 99999',
      'database_url: ${NOT_SET}',
      'coordinator:',
      '  ulr: http://a',
      '  api_secret: short',
      'log_level: inof',
      'tls_advertised: maybe',
    ].join('\n');
    expect(problemsOf(text, { PENSTOCK_ROUTER_TRUSTED_PROXY: 'a' })).toEqual([
      '/router.yaml:1: "prot" is not a known key; did you mean "port"?',
      '/router.yaml:3: "database_url" uses ${NOT_SET}, which is not set; set it, or write ${NOT_SET:-default}',
      '/router.yaml:5: "coordinator.ulr" is not a known key; did you mean "url"?',
      'environment: PENSTOCK_ROUTER_TRUSTED_PROXY is not a known variable; did you mean PENSTOCK_ROUTER_TRUSTED_PROXIES?',
      '/router.yaml:2: "port" must be at most 65535, but is 99999',
      '/router.yaml: "coordinator.url" is missing; set it there, or as PENSTOCK_ROUTER_COORDINATOR_URL',
      '/router.yaml:6: "coordinator.api_secret" must be at least 8 characters long',
      '/router.yaml:7: "log_level" must be one of debug, info, warn, but is "inof"; did you mean "info"?',
      '/router.yaml:8: "tls_advertised" must be true or false, but is "maybe"',
    ]);
  });

  it('never repeats a secret in a problem', () => {
    const text = GOOD.replace('long-enough', 'hunter2');
    expect(problemsOf(text).join()).not.toContain('hunter2');
  });

  it('interpolates variables and defaults, and gives them the type of their key', () => {
    const text = `${GOOD}host: "\${HOST}-\${ZONE:-a}"\nport: \${PORT:-8080}\ntls_advertised: \${TLS}\n`;
    const { value } = load(text, { HOST: 'box', TLS: 'true' });
    expect(value).toMatchObject({ host: 'box-a', port: 8080, tls_advertised: true });
  });

  it('keeps an escaped reference and refuses one that is none', () => {
    expect(load(`${GOOD}host: "$\${HOME}"\n`).value.host).toBe('${HOME}');
    expect(problemsOf(`${GOOD}host: "\${a b}"\n`)[0]).toMatch(/which is no reference/);
  });

  it('reads a secret from a file beside the configuration, without its line end', () => {
    folder.write('secret.txt', 'from-a-file\n');
    const text = GOOD.replace('api_secret: long-enough', 'api_secret_file: secret.txt');
    expect(load(text).value.coordinator.api_secret).toBe('from-a-file');
  });

  it('reports a secret file that is missing, empty or given beside the value, once', () => {
    const missing = GOOD.replace('api_secret: long-enough', 'api_secret_file: nope.txt');
    expect(problemsOf(missing)).toEqual([
      '/router.yaml:5: "coordinator.api_secret_file" names a file that is of no use: /nope.txt does not exist',
    ]);
    folder.write('empty.txt', '\n');
    expect(problemsOf(missing.replace('nope', 'empty'))[0]).toMatch(/empty.txt is empty/);
    expect(problemsOf(`${GOOD}database_url_file: empty.txt\n`)[0]).toMatch(
      /either "database_url" or "database_url_file"/,
    );
  });

  it('takes a key that itself ends in _file as it is', () => {
    expect(load(`${GOOD}admin_token_output_file: out.txt\n`).value.admin_token_output_file).toBe('out.txt');
  });

  it('lets the environment override single values of every type', () => {
    const { value } = load(GOOD, {
      PENSTOCK_ROUTER_PORT: '8',
      PENSTOCK_ROUTER_TLS_ADVERTISED: 'yes',
      PENSTOCK_ROUTER_TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1',
      PENSTOCK_ROUTER_COORDINATOR_URL: 'http://other',
      PENSTOCK_ROUTER_INTERNAL_HOST: 'in',
      PENSTOCK_ROUTER_INTERNAL_PORT: '9',
      PENSTOCK_ROUTER_LOG_LEVEL: '',
      PENSTOCK_MANAGER_PORT: 'not ours',
    });
    expect(value).toMatchObject({
      port: 8,
      tls_advertised: true,
      trusted_proxies: ['10.0.0.0/8', '127.0.0.1'],
      coordinator: { url: 'http://other', api_secret: 'long-enough' },
      internal: { host: 'in', port: 9 },
      log_level: 'info',
    });
  });

  it('lets the environment name a secret file, and works without any configuration file', () => {
    const { value, source } = load(null, {
      PENSTOCK_ROUTER_DATABASE_URL_FILE: folder.write('url', 'postgresql://from/file'),
      PENSTOCK_ROUTER_COORDINATOR_URL: 'http://a',
      PENSTOCK_ROUTER_COORDINATOR_API_SECRET: 'long-enough',
    });
    expect(value.database_url).toBe('postgresql://from/file');
    expect(source.file).toBeNull();
  });

  it('says how to name a file when there is none', () => {
    expect(problemsOf(null)[0]).toMatch(
      /^no configuration file was given \(--config PATH or PENSTOCK_CONFIG\)/,
    );
    expect(problemsOf(null, {}, ['--config'])).toEqual(['--config needs the path of a file after it']);
    expect(problemsOf(null, {}, ['--config', '/nope/x.yaml'])).toEqual([
      '/nope/x.yaml does not exist; check --config or PENSTOCK_CONFIG.',
    ]);
  });

  it.each([
    ['a: [1', /router.yaml: /],
    ['port: 1\nport: 2', /unique/i],
    ['- a\n- b', /must hold keys and values/],
  ])('refuses the text %j', (text, message) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(message)]);
  });

  it('finds the file by option or variable, the option first', () => {
    const a = folder.write('a.yaml', GOOD);
    const b = folder.write('b.yaml', `${GOOD}port: 2\n`);
    expect(load(null, { PENSTOCK_CONFIG: a }, [`--config=${b}`]).value.port).toBe(2);
    expect(load(null, { PENSTOCK_CONFIG: a }, ['--other']).source.file).toBe(a);
  });

  it('reads again at run time and keeps the last good value when the file went bad', () => {
    const file = folder.write('router.yaml', GOOD);
    const { source } = loadConfig({ service: 'router', schema, env: {}, argv: [], file });
    folder.write('router.yaml', `${GOOD}port: 7\n`);
    expect(source.reload()).toMatchObject({ ok: true, value: { port: 7 } });
    folder.write('router.yaml', `${GOOD}port: no\n`);
    expect(source.reload()).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('"port" must be')],
    });
    expect(source.current().port).toBe(7);
  });
});
