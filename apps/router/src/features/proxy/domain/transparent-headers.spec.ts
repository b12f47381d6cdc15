import { describe, expect, it } from '@jest/globals';
import { transparentAnswerHeaders, transparentRequestHeaders, type Arrival } from './transparent-headers.js';

const ARRIVAL: Arrival = { peer: '10.0.0.1', trusted: false, host: 'a.test:8080', requestId: 'req_1' };

/** The last value of a header. */
function valueOf(headers: readonly string[], name: string): string | undefined {
  const at = headers.lastIndexOf(name);
  return at === -1 ? undefined : headers[at + 1];
}

function sent(arrival: Partial<Arrival>, raw: readonly string[] = []): string[] {
  return transparentRequestHeaders(raw, { ...ARRIVAL, ...arrival });
}

describe('what a replica is told of a request’s way', () => {
  it.each([
    ['10.0.0.1', 'a.test', 'for=10.0.0.1;host=a.test;proto=http'],
    ['2001:db8::1', 'a.test:80', 'for="[2001:db8::1]";host="a.test:80";proto=http'],
    ['10.0.0.1', 'a"\\b', 'for=10.0.0.1;host="a\\"\\\\b";proto=http'],
  ])('from %s to %j: %s', (peer, host, forwarded) => {
    expect(valueOf(sent({ peer, host }), 'forwarded')).toBe(forwarded);
  });

  it.each([
    ['a.test:8080', [], '8080'],
    ['a.test', [], '80'],
    ['[::1]:81', [], '81'],
    ['a.test', ['x-forwarded-proto', 'HTTPS'], '443'],
    ['a.test', ['x-forwarded-port', '8443'], '8443'],
  ])('names the port of %j with %j said by a trusted proxy: %s', (host, raw, port) => {
    expect(valueOf(sent({ host, trusted: true }, raw), 'x-forwarded-port')).toBe(port);
  });

  it('has no room for what anybody else says', () => {
    const raw = [
      'X-Forwarded-For',
      '1.1.1.1',
      'X-Forwarded-Anything',
      'x',
      'Forwarded',
      'for=x',
      'X-Real-IP',
      'x',
    ];
    const headers = sent({}, raw).join(' ');
    expect(headers).not.toMatch(/1\.1\.1\.1|Anything|for=x|Real/);
    expect(sent({ trusted: true }, raw).join(' ')).toMatch(/1\.1\.1\.1, 10\.0\.0\.1/);
  });

  it('cannot be taken away by naming it in `Connection`', () => {
    const raw = ['connection', 'x-forwarded-for, x-request-id, authorization', 'authorization', 'Bearer t'];
    const headers = sent({}, raw);
    expect(valueOf(headers, 'x-forwarded-for')).toBe('10.0.0.1');
    expect(valueOf(headers, 'x-request-id')).toBe('req_1');
    expect(valueOf(headers, 'authorization')).toBe('Bearer t');
  });

  it('keeps what a trusted proxy says also when its client names it in `Connection`', () => {
    const raw = [
      'connection',
      'close, X-Forwarded-For, x-real-ip',
      'X-Forwarded-For',
      '1.1.1.1',
      'X-Real-IP',
      'x',
    ];
    const headers = sent({ trusted: true }, raw);
    expect(valueOf(headers, 'x-forwarded-for')).toBe('1.1.1.1, 10.0.0.1');
    expect(valueOf(headers, 'X-Real-IP')).toBe('x');
  });

  it('has an id of ours, and nothing that only we say', () => {
    const headers = sent({}, ['X-Request-Id', 'theirs', 'X-Penstock-Any', 'x']);
    expect(headers.join(' ')).not.toMatch(/theirs|penstock/i);
  });
});

describe('what a client is told', () => {
  it('is what the replica says, behind ours', () => {
    const raw = [
      'Server',
      'x',
      'X-Request-Id',
      'theirs',
      'Connection',
      'x-hop',
      'X-Hop',
      '1',
      'Content-Length',
      '3',
    ];
    expect(transparentAnswerHeaders(raw, ['x-request-id', 'req_1'], ['vary', 'origin'])).toEqual([
      'x-request-id',
      'req_1',
      'Server',
      'x',
      'vary',
      'origin',
    ]);
  });

  it('on CORS is our word, whatever the replica says', () => {
    const raw = ['Access-Control-Allow-Origin', 'https://own', 'Access-Control-Max-Age', '5'];
    expect(transparentAnswerHeaders(raw, [], ['access-control-allow-origin', '*'])).toEqual([
      'Access-Control-Max-Age',
      '5',
      'access-control-allow-origin',
      '*',
    ]);
  });
});
