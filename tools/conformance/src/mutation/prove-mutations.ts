import type { ConformanceReport } from '../checking/report.js';
import { BusRewriter } from './bus-rewriter.js';
import { HttpRewriter } from './http-rewriter.js';
import type { Mutation, Rewriter } from './mutation.js';
import { type Passed, reachedBy, recorder } from './recording.js';

/** What one fault turned red. */
export interface Proof {
  readonly id: string;
  readonly fault: string;
  /** Checks that found it. The proof holds when this is the one the fault belongs to, and no other. */
  readonly found: readonly string[];
  /** How many checks the fault could reach; the others saw the same bytes as without it. */
  readonly reached: number;
}

export interface ProveOptions {
  readonly checks: readonly { readonly id: string; readonly mutation: Mutation }[];
  readonly url: string;
  readonly redisUrl: string;
  /** Runs the suite through the proxies. `only` lists check ids. */
  readonly run: (url: string, redisUrl: string, only: string | undefined) => Promise<ConformanceReport>;
}

/**
 * Makes every fault in turn and tells which checks found it. A check that a fault cannot reach is not run again:
 * in the faultless run everything that passed the proxies is kept, and a fault that changes nothing of what belongs to
 * a check leaves that check's run as it was.
 * @throws Error when the faultless run is not green.
 */
export async function proveMutations(options: ProveOptions): Promise<readonly Proof[]> {
  const passed: Passed[] = [];
  let rewriter: Rewriter = recorder(passed);
  const http = await HttpRewriter.start({
    targetUrl: () => options.url,
    rewrite: (one) => rewriter.answer?.(one),
  });
  const bus = await BusRewriter.start({
    redisUrl: options.redisUrl,
    rewrite: (one) => rewriter.message?.(one),
  });
  try {
    refuseRed(await options.run(http.url, bus.url, undefined));
    const proofs: Proof[] = [];
    for (const { id, mutation } of options.checks) {
      const reached = reachedBy(mutation.rewriter(), passed);
      rewriter = mutation.rewriter();
      const found = reached.length === 0 ? [] : redOf(await options.run(http.url, bus.url, reached.join()));
      proofs.push({ id, fault: mutation.fault, found, reached: reached.length });
    }
    return proofs;
  } finally {
    await Promise.all([http.close(), bus.close()]);
  }
}

/** Checks that did not pass. */
export function redOf({ checks }: ConformanceReport): string[] {
  return checks.filter(({ status }) => status !== 'passed').map(({ id }) => id);
}

/** @throws Error when a check did not pass. */
export function refuseRed(report: ConformanceReport): void {
  const red = redOf(report);
  if (red.length > 0) throw new Error(`not green without any fault: ${red.join(', ')}`);
}
