import { describe, expect, it } from '@jest/globals';
import { answerHeaders, requestHeaders } from './header-policy.js';

const OWN = ['accept-encoding', 'identity', 'x-request-id', 'req_1'];

describe('request headers', () => {
  it.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Host',
    'Content-Length',
    'Authorization',
    'X-Api-Key',
    'X-BackendAI-Token',
    'Cookie',
    'Accept-Encoding',
    'X-Forwarded-For',
    'Forwarded',
    'X-Request-Id',
    'X-Penstock-Anything',
  ])('%s stops here', (name) => {
    expect(requestHeaders([name, 'v'], 'req_1')).toEqual(OWN);
  });

  it.each([
    'Content-Type',
    'User-Agent',
    'traceparent',
    'anthropic-beta',
    'OpenAI-Organization',
    'X-Stainless-Lang',
  ])('%s passes with its casing', (name) => {
    expect(requestHeaders([name, 'v'], 'req_1')).toEqual([name, 'v', ...OWN]);
  });

  it('that Connection names are hop-by-hop as well, but cannot take the content type away', () => {
    const raw = [
      'Connection',
      'close, X-Hop, content-type',
      'x-hop',
      '1',
      'Content-Type',
      'application/json',
      'a',
      'b',
    ];
    expect(requestHeaders(raw, 'req_1')).toEqual(['Content-Type', 'application/json', 'a', 'b', ...OWN]);
  });
});

describe('answer headers', () => {
  it('keep casing and repetitions, and lose framing and what the router sets itself', () => {
    const raw = [
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'X-Own',
      'c',
      'Content-Length',
      '3',
      'Trailer',
      't',
    ];
    const ours = [
      'Transfer-Encoding',
      'chunked',
      'Access-Control-Allow-Origin',
      '*',
      'X-Request-Id',
      'theirs',
    ];
    expect(answerHeaders([...raw, ...ours])).toEqual([
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'X-Own',
      'c',
    ]);
  });
});
