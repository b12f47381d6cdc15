import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../user-error.js';
import { writePrivateFile } from './write-private-file.js';

const demoSchema = z.object({
  project_id: z.string(),
  deployment_ids: z.record(z.string(), z.string()),
  publication_id: z.string(),
  api_key_id: z.string(),
  api_key: z.string(),
});

const credentialsSchema = z.object({
  postgres_password: z.string().min(1),
  redis_password: z.string().min(1),
  api_secret: z.string().min(1),
  admin_token: z.string().min(1),
  demo: demoSchema.nullable(),
});

/** The generated secrets of a stack. Made once: databases and issued keys depend on them. */
export type Credentials = z.infer<typeof credentialsSchema>;
export type DemoCredentials = z.infer<typeof demoSchema>;

/** Reads the file, or makes it with fresh secrets on the first start. */
export function loadOrCreateCredentials(file: string): Credentials {
  if (existsSync(file)) return readCredentials(file);
  const fresh = {
    postgres_password: secret(),
    redis_password: secret(),
    api_secret: secret(),
    admin_token: secret(),
    demo: null,
  };
  saveCredentials(file, fresh);
  return fresh;
}

/** @throws UserError when the file is missing or damaged. */
export function readCredentials(file: string): Credentials {
  try {
    return credentialsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new UserError(
      `${file} cannot be read: restore it, or remove the whole data directory to start afresh.`,
    );
  }
}

export function saveCredentials(file: string, credentials: Credentials): void {
  writePrivateFile(file, `${JSON.stringify(credentials, null, 2)}\n`);
}

/** 32 random bytes in letters that need no escaping in URLs, YAML or shells. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}
