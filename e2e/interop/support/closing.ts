/** What is stopped first to last; what is in one layer is stopped side by side. */
const LAYERS = ['workers', 'coordinators', 'stores', 'files'] as const;
type Layer = (typeof LAYERS)[number];

/** Remembers how to end everything that was started. */
export class Closing {
  #running = Promise.resolve();
  #steps: { readonly layer: Layer; readonly step: () => Promise<void> }[] = [];

  add(layer: Layer, step: () => Promise<void>): void {
    this.#steps.push({ layer, step });
  }

  /** Ends everything, whatever becomes of single steps. One that was begun already is waited for. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#runLayers());
    return this.#running;
  }

  async #runLayers(): Promise<void> {
    for (const layer of LAYERS) {
      const steps = this.#take(layer);
      await Promise.allSettled(steps.map((step) => step()));
    }
  }

  #take(layer: Layer): (() => Promise<void>)[] {
    const taken = this.#steps.filter((each) => each.layer === layer);
    this.#steps = this.#steps.filter((each) => each.layer !== layer);
    return taken.map(({ step }) => step);
  }
}
