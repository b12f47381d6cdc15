import { type CircuitAccess, isIpOrCidr, type Visibility } from '@penstock/protocol';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';

import { fieldProblem } from '../../problems.js';
import { type AccessInput, chooseAccess } from './domain/choose-access.js';

/** The coordinator keeps the list as one text of this length. */
const CLIENT_IPS_TEXT_MAX = 255;

const DEPRECATED_SINCE = Date.UTC(2026, 10, 30) / 1_000;
const WARNING =
  'open_to_public is deprecated and will be removed: use visibility and requires_token. true means that no token is needed.';

const visibilityInputSchema = z
  .string()
  .max(16)
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['public', 'internal']))
  .describe('public or internal, in any case. Internal deployments exist on cluster-private listeners only.');

/** Absent or null: from anywhere. */
const clientIpsSchema = z
  .array(z.string().max(64).refine(isIpOrCidr, 'Give an IP address or a network such as 10.0.0.0/8.'))
  .min(1, 'Give null to allow every address.')
  .max(64)
  .refine((list) => list.join(',').length <= CLIENT_IPS_TEXT_MAX, {
    message: `Joined by commas, the list may have ${CLIENT_IPS_TEXT_MAX} characters.`,
  })
  .nullable();

/** Members of a body that say who may reach a deployment. */
export const accessShape = {
  visibility: visibilityInputSchema.optional(),
  requires_token: z.boolean().optional(),
  open_to_public: z.boolean().optional().meta({
    deprecated: true,
    description: 'Old form: true is public without a token, false public with one.',
  }),
  allowed_client_ips: clientIpsSchema.optional(),
};

/** @throws AppError `request.invalid` when the old flag contradicts the new fields */
export function accessAfter(
  current: { readonly visibility: string; readonly requires_token: boolean } | null,
  input: AccessInput,
): CircuitAccess {
  const access = chooseAccess(current === null ? null : accessOf(current), input);
  if (access.ok) return { visibility: access.visibility, requires_token: access.requires_token };
  throw fieldProblem('open_to_public', 'true means public, which contradicts the visibility internal.');
}

/** Sentences for the answer to a request that used the old spelling. */
export function accessWarnings({ open_to_public }: AccessInput): string[] {
  return open_to_public === undefined ? [] : [WARNING];
}

/** Says in the head of the answer (RFC 9745) that the request used the old spelling. */
export function markDeprecated(reply: FastifyReply, { open_to_public }: AccessInput): void {
  if (open_to_public !== undefined) reply.header('deprecation', `@${DEPRECATED_SINCE}`);
}

/** A column with a CHECK holds nothing else. */
export function accessOf(row: {
  readonly visibility: string;
  readonly requires_token: boolean;
}): CircuitAccess {
  return { visibility: row.visibility as Visibility, requires_token: row.requires_token };
}
