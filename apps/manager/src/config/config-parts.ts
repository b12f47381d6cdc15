import { z } from 'zod';

const DAY_S = 86_400;

export const deploymentTokensSchema = z
  .strictObject({
    default_lifetime_s: z
      .int()
      .min(60)
      .max(10 * 365 * DAY_S)
      .default(30 * DAY_S)
      .describe('Lifetime of a deployment access token whose request names no end.'),
    max_lifetime_s: z
      .int()
      .min(60)
      .max(10 * 365 * DAY_S)
      .default(365 * DAY_S)
      .describe('Longest lifetime of a deployment access token: minted ones cannot be revoked.'),
  })
  .refine(({ default_lifetime_s, max_lifetime_s }) => default_lifetime_s <= max_lifetime_s, {
    path: ['default_lifetime_s'],
    message: 'must not be longer than max_lifetime_s',
  });

export const upstreamTokenSchema = z.strictObject({
  rotation_check_interval_ms: z
    .int()
    .min(50)
    .max(3_600_000)
    .default(1_000)
    .describe('Pause between two looks for upstream tokens that are due for rotation.'),
});

export const serviceEnvironmentSchema = z.strictObject({
  directory: z
    .string()
    .min(1)
    .describe(
      'Folder that gets <deployment id>/BACKENDAI_UPSTREAM_TOKEN, mode 0600, for each bound deployment.',
    ),
});

export const retentionSchema = z.strictObject({
  audit_days: z
    .int()
    .min(1)
    .max(36_500)
    .optional()
    .describe('Audit rows older than this are deleted. Unset, they are kept for ever.'),
  tombstone_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe(
      'How long a removal is remembered. A coordinator restored from an older backup keeps what was removed before.',
    ),
  expired_token_days: z
    .int()
    .min(0)
    .max(36_500)
    .default(30)
    .describe('How long deployment access tokens stay listed after they expired.'),
});
