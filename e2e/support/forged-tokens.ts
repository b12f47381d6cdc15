import { createHmac } from 'node:crypto';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The same claims under another algorithm, correctly signed for it where it signs at all. */
export function withAlgorithm(token: string, alg: 'none' | 'HS512', secret: string): string {
  const claims = token.split('.')[1] ?? '';
  const signed = `${encode({ alg, typ: 'JWT' })}.${claims}`;
  const digest = alg === 'none' ? '' : createHmac('sha512', secret).update(signed).digest('base64url');
  return `${signed}.${digest}`;
}
