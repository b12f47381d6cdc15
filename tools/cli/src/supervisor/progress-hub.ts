import type { Progress } from '@penstock/backing-services';

/** Tells everyone who listens at the moment: the starter of the stack, and whoever waits for a later command. */
export class ProgressHub {
  private readonly listeners = new Set<Progress>();

  constructor(first: Progress) {
    this.listeners.add(first);
  }

  readonly tell = (line: string): void => {
    for (const listener of this.listeners) listener(line);
  };

  /** Lets someone listen while the work goes on. */
  async during<T>(listener: Progress, work: () => Promise<T>): Promise<T> {
    this.listeners.add(listener);
    try {
      return await work();
    } finally {
      this.listeners.delete(listener);
    }
  }
}
