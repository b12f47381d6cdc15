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

interface Mutated {
  readonly id: string;
  readonly mutation: Mutation;
}

export interface ProveOptions {
  readonly checks: readonly Mutated[];
  /** True for checks that bear no others beside them. */
  readonly isLonely: (checkId: string) => boolean;
  readonly url: string;
  readonly redisUrl: string;
  /** Runs the suite through the proxies. `only` lists check ids. */
  readonly run: (url: string, redisUrl: string, only: string | undefined) => Promise<ConformanceReport>;
}

const LANES = 4;

/**
 * Makes every fault in turn and tells which checks found it. A check that a fault cannot reach is not run again:
 * in the faultless run everything that passed the proxies is kept, and a fault that changes nothing of what belongs to
 * a check leaves that check's run as it was. Faults that reach no lonely check are made side by side, each behind
 * proxies of its own.
 * @throws Error when the faultless run is not green.
 */
export async function proveMutations(options: ProveOptions): Promise<readonly Proof[]> {
  const passed: Passed[] = [];
  const stages: Stage[] = [];
  try {
    for (let lane = 0; lane < LANES; lane += 1) stages.push(await Stage.open(options));
    const [first, ...others] = stages as [Stage, ...Stage[]];
    refuseRed(await first.run(recorder(passed), undefined));
    const planned = options.checks.map((check) => ({
      ...check,
      reached: idsReachedBy(check.mutation, passed),
    }));
    const lonely = planned.filter(({ reached }) => reached.some(options.isLonely));
    const social = planned.filter(({ reached }) => !reached.some(options.isLonely));
    const proofs = await Promise.all([first, ...others].map((stage) => stage.proveAll(social)));
    return [...proofs.flat(), ...(await first.proveAll(lonely))];
  } finally {
    await Promise.all(stages.map((stage) => stage.close()));
  }
}

function idsReachedBy(mutation: Mutation, passed: readonly Passed[]): string[] {
  return reachedBy(mutation.rewriter(), passed).filter((id) => id !== undefined);
}

/** A pair of proxies that make one fault at a time. */
class Stage {
  private rewriter: Rewriter = {};

  private constructor(private readonly options: ProveOptions) {}

  private http: HttpRewriter | undefined;
  private bus: BusRewriter | undefined;

  static async open(options: ProveOptions): Promise<Stage> {
    const stage = new Stage(options);
    stage.http = await HttpRewriter.start({
      targetUrl: () => options.url,
      rewrite: (one) => stage.rewriter.answer?.(one),
    });
    stage.bus = await BusRewriter.start({
      redisUrl: options.redisUrl,
      rewrite: (one) => stage.rewriter.message?.(one),
    });
    return stage;
  }

  run(rewriter: Rewriter, only: string | undefined): Promise<ConformanceReport> {
    if (!this.http || !this.bus) throw new Error('the proxies are not open');
    this.rewriter = rewriter;
    return this.options.run(this.http.url, this.bus.url, only);
  }

  /** Takes from the list until it is empty; several stages may share one. */
  async proveAll(planned: (Mutated & { readonly reached: readonly string[] })[]): Promise<Proof[]> {
    const proofs: Proof[] = [];
    for (let next = planned.shift(); next; next = planned.shift()) {
      const { id, mutation, reached } = next;
      const found = await this.found(mutation, reached);
      // On a busy machine a check may be red for being slow: what does not look like a proof is tried once more.
      const sure = found.join() === id ? found : await this.found(mutation, reached);
      proofs.push({ id, fault: mutation.fault, found: sure, reached: reached.length });
    }
    return proofs;
  }

  private async found(mutation: Mutation, reached: readonly string[]): Promise<string[]> {
    return reached.length === 0 ? [] : redOf(await this.run(mutation.rewriter(), reached.join()));
  }

  async close(): Promise<void> {
    await Promise.all([this.http?.close(), this.bus?.close()]);
  }
}

/** Checks that did not pass. */
export function redOf({ checks }: ConformanceReport): string[] {
  return checks.filter(({ status }) => status !== 'passed').map(({ id }) => id);
}

/** @throws Error when a check did not pass. */
export function refuseRed(report: ConformanceReport): void {
  const red = redOf(report);
  if (red.length === 0) return;
  const details = report.checks.flatMap(({ id, detail }) => (red.includes(id) ? [`${id}: ${detail}`] : []));
  throw new Error(`not green without any fault: ${details.join('; ')}`);
}
