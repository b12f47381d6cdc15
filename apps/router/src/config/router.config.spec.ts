import { describe, expect, it } from '@jest/globals';
import type { ConfigError } from '@penstock/config';
import { loadConfig } from '@penstock/config';
import { LiveSettings } from './live-settings.js';
import { routerConfigSchema, type RouterConfig } from './router.config.js';

const REQUIRED = {
  authority: 'a',
  hostname: 'h',
  data_dir: '/tmp/x',
  coordinator: { url: 'http://127.0.0.1:10200', api_secret: 's' },
  redis_url: 'redis://127.0.0.1:6379/4',
};

const parse = (over: object): RouterConfig => routerConfigSchema.parse({ ...REQUIRED, ...over });

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ service: 'router', schema: routerConfigSchema, argv: [], env });
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
}

describe('the configuration of a router', () => {
  it('needs only what nobody can guess', () => {
    const config = parse({});
    expect(config).toMatchObject({
      workers: 1,
      mode: 'router',
      internal: null,
      public: { port: 10_400 },
      admin: { host: '127.0.0.1', port: 10_410 },
      heartbeat_period_ms: 10_000,
      reconcile_interval_ms: 15_000,
      body_limit_bytes: 33_554_432,
      cors: { allowed_origins: ['*'] },
      retry: { max_attempts: 3 },
    });
    expect(config.replica_networks).toContain('10.0.0.0/8');
  });

  it('refuses unknown keys, at the top and inside', () => {
    expect(() => parse({ authorty: 'typo' })).toThrow(/authorty/);
    expect(() => parse({ retry: { attempts: 3 } })).toThrow(/attempts/);
  });

  it('serves one frontend mode, and takes the settings of no other', () => {
    const wildcard = { domain: '.models.example.com', jwt_secret: 's' };
    expect(parse({ mode: 'wildcard', wildcard }).wildcard).toEqual({
      ...wildcard,
      traffic_port: null,
      aggregation_hosts: [],
    });
    expect(() => parse({ mode: 'port' })).toThrow(/other frontend modes are not served/);
    expect(() => parse({ wildcard })).toThrow(/either a router or a wildcard worker/);
    expect(() => parse({ mode: 'wildcard' })).toThrow(/needs its domain and jwt_secret/);
    expect(() => parse({ mode: 'wildcard', wildcard, traffic_port: 443 })).toThrow(/wildcard.traffic_port/);
    expect(() => parse({ mode: 'wildcard', wildcard, allow_unrestricted_keys: true })).toThrow(
      /belongs to mode/,
    );
    expect(() => parse({ mode: 'wildcard', wildcard, hide_ungranted_models: true })).toThrow(
      /belongs to mode/,
    );
  });

  it.each(['models.example.com', '.', '.a..b', '.models.example.com:80', '', '*.models.example.com'])(
    'refuses the domain "%s"',
    (domain) => {
      expect(() => parse({ mode: 'wildcard', wildcard: { domain, jwt_secret: 's' } })).toThrow(/dot/);
      const internal = { host: '10.0.0.1', port: 10_405, domain, jwt_secret: 's' };
      expect(() => parse({ internal })).toThrow(/dot/);
    },
  );

  it('refuses an internal listener without a secret for its tokens', () => {
    const internal = { host: '10.0.0.1', port: 10_405, domain: '.internal' };
    expect(() => parse({ internal })).toThrow(/jwt_secret/);
    expect(parse({ internal: { ...internal, jwt_secret: 's' } }).internal?.port).toBe(10_405);
  });

  it.each([
    ['redis_url', 'http://x'],
    ['replica_networks', ['10.0.0.0/99']],
    ['workers', 0],
    ['coordinator', { url: 'ftp://x', api_secret: 's' }],
  ])('refuses a bad %s', (key, value) => {
    expect(() => parse({ [key]: value })).toThrow();
  });

  it('reports everything at once and never shows a secret', () => {
    const problems = problemsOf({
      PENSTOCK_ROUTER_REDIS_URL: 'http://:hunter2@redis',
      PENSTOCK_ROUTER_WORKERS: 'many',
    });
    expect(problems.length).toBeGreaterThanOrEqual(5);
    expect(problems.join('\n')).toMatch(/"authority" is missing/);
    expect(problems.join('\n')).toMatch(/redis:\/\/127\.0\.0\.1/);
    expect(problems.join('\n')).not.toContain('hunter2');
  });
});

describe('reading the configuration again', () => {
  const reloading = (next: object) => {
    const running = parse({});
    const source = { current: () => running, reload: () => ({ ok: true as const, value: parse(next) }) };
    return new LiveSettings(source);
  };

  it('applies what can be applied and names what needs a restart', () => {
    const settings = reloading({ log_level: 'debug', timeouts: { idle_ms: 5_000 }, workers: 4 });
    expect(settings.reload()).toEqual({
      ok: true,
      applied: ['timeouts.idle_ms', 'log_level'],
      needRestart: ['workers'],
    });
    expect(settings.current).toMatchObject({ log_level: 'debug', workers: 1, timeouts: { idle_ms: 5_000 } });
  });

  it('tells listeners only of what was applied', () => {
    const settings = reloading({ workers: 4 });
    let told = 0;
    settings.onChange(() => (told += 1));
    settings.reload();
    expect(told).toBe(0);
  });

  it('keeps everything when anything is wrong', () => {
    const running = parse({});
    const problems = ['"workers" must be at least 1'];
    const settings = new LiveSettings({ current: () => running, reload: () => ({ ok: false, problems }) });
    expect(settings.reload()).toEqual({ ok: false, problems });
    expect(settings.current).toBe(running);
  });
});
