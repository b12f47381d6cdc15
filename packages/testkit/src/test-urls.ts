/** Environment names under which the shared servers are announced to the test processes, or given from outside. */
export const POSTGRES_URL_VARIABLE = 'PENSTOCK_TEST_POSTGRES_URL';
export const REDIS_URL_VARIABLE = 'PENSTOCK_TEST_REDIS_URL';

/** URL of the shared PostgreSQL, with an account that may create databases. */
export function testPostgresUrl(): string {
  return required(POSTGRES_URL_VARIABLE);
}

/** URL of the shared Redis. Its Pub/Sub is shared by all tests: use authorities of your own. */
export function testRedisUrl(): string {
  return required(REDIS_URL_VARIABLE);
}

function required(name: string): string {
  const url = process.env[name];
  if (!url)
    throw new Error(`${name} is not set: run this test in the Jest project "int", which starts the server.`);
  return url;
}
