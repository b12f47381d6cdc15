import type { z } from 'zod';

import { environmentName } from './environment-overrides.js';
import { explainIssue } from './explain-issue.js';
import { type PlainObject, valueAt } from './plain-object.js';
import type { ConfigDocument } from './read-document.js';
import type { ConfigLeaf } from './schema-walk.js';

export interface ValidationContext {
  readonly service: string;
  readonly leaves: readonly ConfigLeaf[];
  readonly document: ConfigDocument;
  readonly file: string | null;
  readonly problems: string[];
  readonly unresolved: ReadonlySet<string>;
}

/**
 * Parses the resolved values; what is wrong is added to the problems.
 * @returns undefined when something is wrong
 */
export function validate<S extends z.ZodType>(
  schema: S,
  values: PlainObject,
  context: ValidationContext,
): z.output<S> | undefined {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    // Unknown keys were reported before, with the line and the nearest known name.
    if (issue.code === 'unrecognized_keys' || context.unresolved.has(issue.path.join('.'))) continue;
    context.problems.push(describeIssue(issue, values, context));
  }
  return undefined;
}

function describeIssue(issue: z.core.$ZodIssue, values: PlainObject, context: ValidationContext): string {
  const value = valueAt(values, issue.path);
  const name = issue.path.map(String).join('.');
  if (value === undefined && issue.code !== 'custom') return missing(issue.path, name, context);
  const subject = name === '' ? '' : `"${name}" `;
  const explanation = explainIssue(issue, value, isSecretPath(issue.path, context.leaves));
  return `${whereFrom(issue.path, context)}: ${subject}${explanation}`;
}

function missing(path: readonly PropertyKey[], name: string, context: ValidationContext): string {
  const variable = environmentName(context.service, path.map(String));
  const isLeaf = context.leaves.some((leaf) => leaf.path.join('.') === name);
  const ways = isLeaf ? `set it there, or as ${variable}` : 'add it there';
  const where = context.file ?? 'no configuration file was given (--config PATH or PENSTOCK_CONFIG)';
  return `${where}: "${name}" is missing; ${ways}`;
}

function whereFrom(path: readonly PropertyKey[], context: ValidationContext): string {
  return valueAt(context.document.values, path) === undefined
    ? 'environment or default'
    : context.document.locate(path);
}

/** A problem inside a secret's value, or of a group that holds one, must not print it. */
function isSecretPath(path: readonly PropertyKey[], leaves: readonly ConfigLeaf[]): boolean {
  const name = path.map(String).join('.');
  return leaves.some((leaf) => {
    const leafName = leaf.path.join('.');
    return (
      leaf.secret &&
      (name === '' || leafName === name || leafName.startsWith(`${name}.`) || name.startsWith(`${leafName}.`))
    );
  });
}
