import { z } from 'zod';

const count = z.int().min(1).max(1_000_000);
const milliseconds = z.number().min(0).max(600_000);

/** `times` unset means until `DELETE /faults`. Faults hit inference calls only, in the order they were scripted. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Closes the listener and every connection: the port refuses until the faults are deleted. */
  z.strictObject({ kind: z.literal('refuse') }),
  /** Takes the request and never answers. */
  z.strictObject({ kind: z.literal('hang'), times: count.optional() }),
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(400).max(599).default(503),
    retry_after: z.union([z.string(), z.number()]).optional(),
    times: count.optional(),
  }),
  z.strictObject({
    kind: z.literal('rate_limit'),
    retry_after: z.union([z.string(), z.number()]).default(1),
    times: count.optional(),
  }),
  z.strictObject({ kind: z.literal('cut_before_first_byte'), times: count.optional() }),
  /** Sends the response head, then closes before any byte of the body. */
  z.strictObject({ kind: z.literal('cut_after_head'), times: count.optional() }),
  z.strictObject({
    kind: z.literal('cut_mid_stream'),
    after_events: z.int().min(1).default(3),
    times: count.optional(),
  }),
  z.strictObject({
    kind: z.literal('slow'),
    ttft_ms: milliseconds.default(2_000),
    inter_token_ms: milliseconds.default(200),
    times: count.optional(),
  }),
  /** `body`: 200 with text that is no JSON. `http`: bytes that are no HTTP answer. */
  z.strictObject({
    kind: z.literal('malformed'),
    what: z.enum(['body', 'http']).default('body'),
    times: count.optional(),
  }),
]);

/** `POST /faults` takes one fault or a list. */
export const faultScriptSchema = z.union([
  faultSchema.transform((one) => [one]),
  z.array(faultSchema).max(1_000),
]);

export type Fault = z.infer<typeof faultSchema>;

/** The script of faults still to come. One per inference request, first in first out. */
export class FaultScript {
  readonly #queue: { fault: Fault; left: number }[] = [];
  #applied = 0;

  add(faults: readonly Fault[]): void {
    for (const fault of faults) this.#queue.push({ fault, left: timesOf(fault) });
  }

  clear(): void {
    this.#queue.length = 0;
  }

  /** The fault for the request that just arrived; counts it as used. */
  take(): Fault | null {
    const first = this.#queue[0];
    if (first === undefined) return null;
    first.left -= 1;
    if (first.left <= 0) this.#queue.shift();
    this.#applied += 1;
    return first.fault;
  }

  /** Uses of faults since the start, for `/stats`. */
  get applied(): number {
    return this.#applied;
  }

  pending(): readonly (Fault & { left: number | null })[] {
    return this.#queue.map(({ fault, left }) => ({ ...fault, left: Number.isFinite(left) ? left : null }));
  }
}

function timesOf(fault: Fault): number {
  return 'times' in fault ? (fault.times ?? Infinity) : Infinity;
}
