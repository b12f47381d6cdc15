import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../user-error.js';
import { writePrivateFile } from './write-private-file.js';

const tokenSchema = z.object({
  id: z.string(),
  token: z.string(),
  expires_at: z.string(),
  /** The deployment's address, whose host name the coordinator chose. */
  url: z.string(),
});

const demoSchema = z.object({
  project_id: z.string(),
  deployment_ids: z.record(z.string(), z.string()),
  /** Router mode publishes a model and issues a key for it. */
  publication_id: z.string().nullable(),
  api_key_id: z.string().nullable(),
  api_key: z.string().nullable(),
  /** Wildcard mode mints an access token for each deployment, by its name. */
  tokens: z.record(z.string(), tokenSchema).default({}),
});

const credentialsSchema = z.object({
  postgres_password: z.string().min(1),
  redis_password: z.string().min(1),
  api_secret: z.string().min(1),
  admin_token: z.string().min(1),
  /** Signs the access tokens of deployments. */
  jwt_secret: z.string().min(1),
  /** Keeps what the manager stores encrypted readable: losing it loses those tokens. */
  encryption_key: z.string().min(1),
  demo: demoSchema.nullable(),
});

/** The generated secrets of a stack. Made once: databases and issued keys depend on them. */
export type Credentials = z.infer<typeof credentialsSchema>;
export type DemoCredentials = z.infer<typeof demoSchema>;
export type DemoToken = z.infer<typeof tokenSchema>;

/** Secrets that data directories of version 0.1 do not have yet. */
const LATER_SECRETS = ['jwt_secret', 'encryption_key'] as const;

/** Reads the file, or makes it with fresh secrets on the first start. */
export function loadOrCreateCredentials(file: string): Credentials {
  if (existsSync(file)) return readCredentials(file);
  const fresh = {
    postgres_password: secret(),
    redis_password: secret(),
    api_secret: secret(),
    admin_token: secret(),
    jwt_secret: secret(),
    encryption_key: secret(),
    demo: null,
  };
  saveCredentials(file, fresh);
  return fresh;
}

/**
 * Secrets that an older version did not have yet are added to the file.
 * @throws UserError when the file is missing or damaged.
 */
export function readCredentials(file: string): Credentials {
  const { known, missing } = guarded(file, () => readObject(file));
  const added = Object.fromEntries(missing.map((name) => [name, laterSecret(name, known)]));
  const credentials = guarded(file, () => credentialsSchema.parse({ ...known, ...added }));
  if (missing.length > 0) saveCredentials(file, credentials);
  return credentials;
}

function readObject(file: string): { known: Record<string, unknown>; missing: string[] } {
  const known = z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8')));
  return { known, missing: LATER_SECRETS.filter((name) => known[name] === undefined) };
}

function guarded<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new UserError(
      `${file} cannot be read: restore it, or remove the whole data directory to start afresh.`,
    );
  }
}

export function saveCredentials(file: string, credentials: Credentials): void {
  writePrivateFile(file, `${JSON.stringify(credentials, null, 2)}\n`);
}

/**
 * Derived, not drawn: version 0.1 drops what it does not know when it saves, and after a rollback and a second upgrade
 * the tokens of the first one still have to be good. Only the services that hold the database know what it comes from.
 */
function laterSecret(name: string, known: Record<string, unknown>): string {
  return createHmac('sha256', String(known['postgres_password'])).update(name).digest('base64url');
}

/** 32 random bytes in letters that need no escaping in URLs, YAML or shells. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}
