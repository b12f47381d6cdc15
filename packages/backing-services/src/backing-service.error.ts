/** A backing service cannot be had, or did not start. The message is one a newcomer can act on. */
export class BackingServiceError extends Error {
  override readonly name = 'BackingServiceError';
}
