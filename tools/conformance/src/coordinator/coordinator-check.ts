import { createHmac } from 'node:crypto';
import type { Check } from '../checking/check.js';
import { type Json, type JsonObject, parseJson } from '../checking/json.js';
import type { CoordinatorBench } from './coordinator-bench.js';

export type CoordinatorCheck = Check<CoordinatorBench>;

/** A JWT signed with HS256, made without any library that the peer might share. */
export function jwt(claims: JsonObject, secret: string): string {
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return withSignature(`${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`, secret);
}

/** Header and claims of a JWT, unverified; `undefined` where it is no JWT. */
export function readJwt(token: string): {
  readonly header: Json | undefined;
  readonly claims: Json | undefined;
} {
  const [header, claims] = token
    .split('.')
    .map((part) => parseJson(Buffer.from(part, 'base64url').toString()));
  return { header, claims };
}

/** True when the signature is HS256 with that secret. */
export function isSignedWith(token: string, secret: string): boolean {
  return withSignature(token.split('.').slice(0, 2).join('.'), secret) === token;
}

function withSignature(signed: string, secret: string): string {
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
