/** Something the user can act on: shown as it is, without a stack, and the command ends with exit code 1. */
export class UserError extends Error {
  override readonly name = 'UserError';

  /** All problems found, each a sentence. */
  static of(problems: string[]): UserError {
    return new UserError(problems.join('\n'));
  }
}
