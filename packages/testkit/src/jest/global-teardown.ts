import type { ThrowawayService } from '@penstock/backing-services';

const STARTED = Symbol.for('penstock.testkit.started');

/** Stops what the set-up started and removes its data. */
export default async function globalTeardown(): Promise<void> {
  const { [STARTED]: started = [] } = globalThis as { [STARTED]?: ThrowawayService[] };
  await Promise.all(started.map((service) => service.dispose()));
}
