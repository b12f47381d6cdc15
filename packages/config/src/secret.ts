import { z } from 'zod';

/**
 * A string that must never be printed: `describeConfig` masks its default and problems never repeat its value.
 * Further checks may follow, as on any string: `secret().min(32)`.
 */
export function secret(): z.ZodString {
  return z.string().min(1).meta({ penstockSecret: true });
}

/** True for a schema made by `secret()`, through any checks, defaults and optionals put around it. */
export function isSecret(schema: z.core.$ZodType): boolean {
  const meta = z.globalRegistry.get(schema);
  return meta?.penstockSecret === true;
}
