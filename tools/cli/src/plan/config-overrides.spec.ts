import { describe, expect, it } from '@jest/globals';
import { parseOverride, withOverrides } from './config-overrides.js';

describe('parseOverride', () => {
  it.each([
    ['router.reconcile_interval_ms=2000', ['reconcile_interval_ms'], 2000],
    ['router.retry.max_attempts=1', ['retry', 'max_attempts'], 1],
    ['router.events_enabled=false', ['events_enabled'], false],
    ['router.trusted_proxies=[10.0.0.1]', ['trusted_proxies'], ['10.0.0.1']],
    ['router.internal=null', ['internal'], null],
    ['router.hostname=a=b', ['hostname'], 'a=b'],
  ])('reads %s', (text, path, value) => {
    expect(parseOverride(text)).toEqual({ service: 'router', path, value });
  });

  it.each(['router', 'router.a', 'redis.port=1', '.a=1', 'router.=1'])(
    'refuses %s with the expected form',
    (text) => {
      expect(() => parseOverride(text)).toThrow(/expected <service>\.<key>=<value>/);
    },
  );
});

describe('withOverrides', () => {
  it('changes a nested value and leaves its neighbours and the original alone', () => {
    const config = { public: { host: 'h', port: 1 } };
    const changed = withOverrides(config, [parseOverride('router.public.port=2')], 'router');
    expect(changed).toEqual({ public: { host: 'h', port: 2 } });
    expect(config.public.port).toBe(1);
  });
});
