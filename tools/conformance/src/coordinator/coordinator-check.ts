import { createHmac } from 'node:crypto';
import type { Check } from '../checking/check.js';
import type { JsonObject } from '../checking/json.js';
import type { CoordinatorBench } from './coordinator-bench.js';

export type CoordinatorCheck = Check<CoordinatorBench>;

/** A JWT signed with HS256, made without any library that the peer might share. */
export function jwt(claims: JsonObject, secret: string): string {
  const encode = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
