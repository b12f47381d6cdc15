/** A reason not to start that the operator can remove. The message says what to change; restarting will not help. */
export class StartupError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'StartupError';
  }
}
