import { hostSchema, storedText, uuidSchema, WireError, wireObject, wirePort } from '@penstock/protocol';
import type { z } from 'zod';

import { parseBody } from '../../wire/parse-wire.js';

const configureRequestSchema = wireObject({
  login_session_token: storedText(127).nullable(),
  kernel_host: hostSchema.refine((host) => host.length <= 255, 'expected at most 255 characters'),
  kernel_port: wirePort,
  session: wireObject(
    {
      id: uuidSchema.nullable().default(null),
      user_uuid: uuidSchema,
      project_id: uuidSchema,
      access_key: storedText(255).nullable().default(null),
      domain_name: storedText(255),
    },
    { aliases: { project_id: ['group-id', 'group_id'] } },
  ),
});
type ConfigureRequest = z.output<typeof configureRequestSchema>;

/** What a manager says of the session whose apps a user may open. */
export interface HandOver extends Omit<ConfigureRequest, 'session'> {
  readonly session: ConfigureRequest['session'] & { readonly id: string; readonly access_key: string };
}

/** @throws WireError 400, of its own kind when the session is none that has interactive apps */
export function parseHandOver(body: unknown): HandOver {
  const { session, ...kernel } = parseBody(configureRequestSchema, body);
  const { id, access_key } = session;
  if (id === null || !access_key) throw WireError.missingSessionParameter();
  return { ...kernel, session: { ...session, id, access_key } };
}
