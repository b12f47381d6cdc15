export const LOOPBACK = '127.0.0.1';

/** The secrets that both sides of a pair share. */
export interface Secrets {
  readonly api: string;
  readonly jwt: string;
  readonly permit: string;
}

/** The conformance vectors are made with these. */
export const SECRETS: Secrets = {
  api: 'test-api-secret',
  jwt: 'test-jwt-secret-for-vectors-only-32b',
  permit: 'test-permit-secret',
};
