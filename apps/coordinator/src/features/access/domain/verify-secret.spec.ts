import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { isBareSecret, verifyCredentials } from './verify-secret.js';

const SECRET = 'test-api-secret';
const NOW = 1_800_000_000;

function jwt(header: object, claims: object, secret = SECRET): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${encode(header)}.${encode(claims)}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}

function verify(headers: { token?: string; authorization?: string }): string {
  return verifyCredentials({ token: undefined, authorization: undefined, ...headers }, SECRET, NOW * 1000)
    .kind;
}

describe('verifyCredentials', () => {
  it.each([SECRET, `Bearer ${SECRET}`, `BackendAI ${SECRET}`])('accepts the token form %s', (token) => {
    expect(verify({ token })).toBe('accepted');
  });

  it.each(['nope', `bearer ${SECRET}`, `${SECRET} `, SECRET.slice(1)])('refuses the token %s', (token) => {
    expect(verify({ token })).toBe('refused');
  });

  it('accepts a JWT signed with the secret when the token header is empty', () => {
    const authorization = `bearer ${jwt({ alg: 'HS256', typ: 'JWT' }, { sub: 'worker' })}`;
    expect(verify({ token: '', authorization })).toBe('accepted');
  });

  it('does not let a good Authorization rescue a wrong token', () => {
    const authorization = `Bearer ${jwt({ alg: 'HS256' }, {})}`;
    expect(verify({ token: 'wrong', authorization })).toBe('refused');
  });

  it.each([
    ['another secret', jwt({ alg: 'HS256' }, {}, 'other')],
    ['no algorithm', jwt({ alg: 'none' }, {})],
    ['another algorithm', jwt({ alg: 'HS512' }, {})],
    ['an expiry in the past', jwt({ alg: 'HS256' }, { exp: NOW - 1 })],
    ['an expiry that is no number', jwt({ alg: 'HS256' }, { exp: 'never' })],
    ['the bare secret', SECRET],
    ['four parts', `${jwt({ alg: 'HS256' }, {})}.x`],
    ['nothing', ''],
  ])('refuses a bearer with %s', (_what, token) => {
    expect(verify({ authorization: `Bearer ${token}` })).toBe('refused');
  });

  it('names an unsupported scheme', () => {
    const verdict = verifyCredentials({ token: undefined, authorization: 'Basic x' }, SECRET, NOW * 1000);
    expect(verdict).toEqual({ kind: 'refused', message: 'Unsupported authorization method Basic' });
  });

  it.each([
    ['the secret', SECRET, true],
    ['a prefix before it', `Bearer ${SECRET}`, false],
    ['another secret', 'nope', false],
    ['nothing', undefined, false],
  ])('as a bare secret judges %s', (_what, token, accepted) => {
    expect(isBareSecret(token, SECRET)).toBe(accepted);
  });
});
