/** What is read, and how new it is. */
interface Numbered {
  readonly revision: bigint;
}

/**
 * Lets everyone who asks for the same thing at the same time share one read of it. A change is heard by every router
 * of an authority at once and makes all of them pull: that costs one read, or two, and not one for each.
 */
export class SharedReads<T extends Numbered> {
  private readonly running = new Map<string, Promise<T>>();

  constructor(private readonly read: (name: string) => Promise<T>) {}

  /** @param revision - what the caller has seen committed; an answer read before that is not for this caller */
  async atLeast(name: string, revision: bigint): Promise<T> {
    for (let running = this.running.get(name); running; running = this.running.get(name)) {
      const answer = await running;
      if (answer.revision >= revision) return answer;
    }
    return this.start(name);
  }

  private start(name: string): Promise<T> {
    const reading = this.read(name).finally(() => this.running.delete(name));
    this.running.set(name, reading);
    return reading;
  }
}
