import type { ForwardingDeps } from '../../../proxy/index.js';
import type { EndpointPlan } from '../../../routing/index.js';

/** How long replicas are waited for whose name is not known yet; one that is late is in the next list. */
const WAIT_MS = 1_000;

/** Endpoints by model name. */
export type Names = ReadonlyMap<string, readonly EndpointPlan[]>;

interface Search {
  readonly plans: readonly EndpointPlan[];
  /** The only name that matters: once it is known nobody else is waited for. Null asks for all. */
  readonly wanted: string | null;
  readonly done: (names: Names) => void;
}

/**
 * The endpoints by the name of the model they serve: the one they were given, else what a replica of theirs calls it.
 * Those of which nobody knows a name are left out. Calls back once, at once when all that matters is known.
 */
export function discoverNames(
  { discovery, selector, timers }: ForwardingDeps,
  { plans, wanted, done }: Search,
): void {
  const names = new Map<string, EndpointPlan[]>();
  let waiting = plans.length;
  let isOver = false;
  let isAsking = true;
  const timer = timers.create(() => finish());
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    timer.cancel();
    done(names);
  };
  const found = (plan: EndpointPlan, name: string | null): void => {
    if (name !== null) names.set(name, [...(names.get(name) ?? []), plan]);
    waiting -= 1;
    if (!isAsking) finishIfKnown();
  };
  const finishIfKnown = (): void => {
    if (waiting === 0 || (wanted !== null && names.has(wanted))) finish();
  };
  timer.arm(WAIT_MS);
  for (const plan of plans) {
    const { servedModel } = plan.target;
    const replica = servedModel === null ? selector.select([plan], [])?.replica : undefined;
    if (replica === undefined) found(plan, servedModel);
    else discovery.resolve(replica, (answer) => found(plan, answer.ok ? answer.model : null));
  }
  isAsking = false;
  finishIfKnown();
}
