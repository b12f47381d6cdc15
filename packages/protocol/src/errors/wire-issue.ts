import type { z } from 'zod';

/** One refused field, in the words peers know. `loc` is the path to it. */
export interface WireIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/**
 * Field-level issues of a failed parse, in the words of the Python peers: an absent field is `missing`, an unknown
 * member `enum`. That a member is absent shows only when the parse kept its input (`reportInput`).
 */
export function wireIssues(error: z.ZodError): WireIssue[] {
  return error.issues.map((issue) => {
    const loc = issue.path.map((part) => (typeof part === 'symbol' ? part.toString() : part));
    if (isMissing(issue)) return { type: 'missing', loc, msg: 'Field required' };
    return { type: issue.code === 'invalid_value' ? 'enum' : issue.code, loc, msg: issue.message };
  });
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_type') return issue.message.endsWith('received undefined');
  return issue.code === 'invalid_value' && 'input' in issue && issue.input === undefined;
}
