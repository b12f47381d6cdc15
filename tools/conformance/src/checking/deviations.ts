import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { CheckResult } from './report.js';

const deviationSchema = z.strictObject({
  id: z.string().min(1).max(100),
  /** Why this is known and accepted. */
  reason: z.string().min(1).max(1_000),
  /** What the check reported. */
  seen: z.string().max(2_000),
});

const deviationsSchema = z.strictObject({
  /** Name and version of the product that deviates. */
  product: z.string().min(1).max(200),
  deviations: z.array(deviationSchema).max(1_000),
});

/** Checks that a product is known to fail. */
export type Deviations = z.output<typeof deviationsSchema>;

/** @throws Error naming the file when it cannot be read or is no list of deviations. */
export function readDeviations(file: string): Deviations {
  try {
    return deviationsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(
      `${file} is no list of deviations: ${error instanceof Error ? error.message : 'unreadable'}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Listed failures become deviations; a listed check that passes has failed, since the list is then wrong.
 * What was skipped stays skipped.
 */
export function applyDeviations(
  results: readonly CheckResult[],
  { deviations }: Deviations,
): readonly CheckResult[] {
  const reasons = new Map(deviations.map(({ id, reason }) => [id, reason]));
  return results.map((result) => judge(result, reasons.get(result.id)));
}

function judge(result: CheckResult, reason: string | undefined): CheckResult {
  if (reason === undefined) return result;
  if (result.status === 'failed')
    return { ...result, status: 'deviates', detail: `${reason} Seen: ${result.detail}` };
  if (result.status === 'passed')
    return { ...result, status: 'failed', detail: `It passes, but is listed as a deviation: ${reason}` };
  return result;
}
