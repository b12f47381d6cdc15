/** Bounds how many requests generate at the same time; the others wait in order, as in an engine's scheduler. */
export class EngineSlots {
  readonly #waiting: { start: () => void; gone: () => boolean }[] = [];
  #running = 0;

  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.filter(({ gone }) => !gone()).length;
  }

  /** Starts now or when a slot is free. `gone` requests lose their place without starting. */
  enter(start: () => void, gone: () => boolean): void {
    this.#waiting.push({ start, gone });
    this.#fill();
  }

  /** Called once by each request that started, when it is over. */
  leave(): void {
    this.#running -= 1;
    this.#fill();
  }

  #fill(): void {
    while (this.#running < this.size) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      if (next.gone()) continue;
      this.#running += 1;
      next.start();
    }
  }
}
