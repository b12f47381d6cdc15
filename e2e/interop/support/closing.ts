/** What is stopped first to last; what is in one layer is stopped side by side. */
const LAYERS = ['workers', 'coordinators', 'stores', 'files'] as const;
type Layer = (typeof LAYERS)[number];

/** Remembers how to end everything that was started. */
export class Closing {
  readonly #steps: { readonly layer: Layer; readonly step: () => Promise<void> }[] = [];

  add(layer: Layer, step: () => Promise<void>): void {
    this.#steps.push({ layer, step });
  }

  /** Ends everything, whatever becomes of single steps. */
  async run(): Promise<void> {
    for (const layer of LAYERS) {
      const steps = this.#steps.filter((each) => each.layer === layer);
      await Promise.allSettled(steps.map(({ step }) => step()));
    }
  }
}
