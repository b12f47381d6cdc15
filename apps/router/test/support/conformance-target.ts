import { testRedisUrl, uniqueAuthority } from '@penstock/testkit';
import { TestRouter } from './test-router.js';

export const CONFORMANCE_SECRETS = {
  apiSecret: 'test-api-secret',
  jwtSecret: 'test-jwt-secret-for-vectors-only-32b',
};

/** A router of one mode that takes its orders from the conformance kit. */
export function startConformanceTarget(
  mode: 'wildcard' | 'router',
  coordinatorUrl: string,
): Promise<TestRouter> {
  const { apiSecret, jwtSecret } = CONFORMANCE_SECRETS;
  return TestRouter.start({
    authority: uniqueAuthority(),
    mode,
    ...(mode === 'wildcard' && { wildcard: { domain: '.models.test', jwt_secret: jwtSecret } }),
    coordinator: { url: coordinatorUrl, api_secret: apiSecret, backoff_min_ms: 20, backoff_max_ms: 100 },
    redis_url: testRedisUrl(),
    retry: { max_attempts: 1 },
  });
}
