import { isUniqueViolation } from '@penstock/database';
import { AppError, type ErrorCode, type FieldError } from '@penstock/protocol';

/** One answer for hidden and for missing, made afresh, so that nothing tells the two apart. */
export function notFound(kind: string): AppError {
  return new AppError('resource.not_found', `No such ${kind}.`);
}

/** A value that is well-formed but cannot be accepted; `field` is a path such as `mappings.1.deployment_id`. */
export function fieldProblem(field: string, message: string, code: ErrorCode = 'request.invalid'): AppError {
  return fieldProblems([{ field, message }], code);
}

/** Several of them at once, so that a caller corrects them in one go. */
export function fieldProblems(errors: readonly FieldError[], code: ErrorCode = 'request.invalid'): AppError {
  const summary = errors.map(({ field, message }) => `${field}: ${message}`).join(' ');
  return new AppError(code, summary.slice(0, 1_000), { errors });
}

/** For `catch`: a row that a unique constraint refused becomes this problem, other errors stay what they are. */
export function onDuplicate(problem: (error: unknown) => AppError): (error: unknown) => never {
  return (error) => {
    throw isUniqueViolation(error) ? problem(error) : error;
  };
}
