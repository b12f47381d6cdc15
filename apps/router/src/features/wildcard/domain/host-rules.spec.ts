import { describe, expect, it } from '@jest/globals';
import { HostRules } from './host-rules.js';

const rules = new HostRules({ domain: '.Models.example.com', aggregationHosts: ['All.example.com'] });
const internal = new HostRules({ domain: '.internal', aggregationHosts: null });

const of = (host: string | undefined, target = '/v1/models') => {
  const match = rules.match(target, host);
  return match.kind === 'label' ? match.label : match.kind;
};

describe('the host of a request', () => {
  it.each([
    ['llama-a.models.example.com', 'llama-a'],
    ['llama-a.models.example.com:10600', 'llama-a'],
    ['LLAMA-A.Models.Example.COM', 'llama-a'],
    ['llama-a.models.example.com.', 'llama-a'],
    ['llama-a.models.example.com.:80', 'llama-a'],
    ['models.example.com', 'aggregate'],
    ['MODELS.example.com:443', 'aggregate'],
    ['all.example.com', 'aggregate'],
    ['a.b.models.example.com', 'unknown'],
    ['.models.example.com', 'unknown'],
    ['llama-a.models.example.com.evil.org', 'unknown'],
    ['llama-amodels.example.com', 'unknown'],
    ['other.example.org', 'unknown'],
    ['127.0.0.1:10600', 'unknown'],
    ['[::1]:10600', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('of "%s" is %s', (host, expected) => {
    expect(of(host)).toBe(expected);
  });

  it('is that of an absolute target, whatever the header says', () => {
    expect(of('llama-b.models.example.com', 'http://llama-a.models.example.com:80/v1/models')).toBe(
      'llama-a',
    );
    expect(of('llama-b.models.example.com', 'http://user@llama-a.models.example.com/')).not.toBe('llama-a');
  });

  it('stands for all endpoints only where the operator wants that', () => {
    expect(internal.match('/', 'internal')).toEqual({ kind: 'unknown' });
    expect(internal.match('/', 'a.internal')).toEqual({ kind: 'label', label: 'a' });
  });
});
