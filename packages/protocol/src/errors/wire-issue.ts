import type { z } from 'zod';

/** One refused field, in the words peers know. `loc` is the path to it. */
export interface WireIssue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Field-level issues of a failed parse. An absent field is called `missing`, as the Python peers do. */
export function wireIssues(error: z.ZodError): WireIssue[] {
  return error.issues.map((issue) => {
    const loc = issue.path.map((part) => (typeof part === 'symbol' ? part.toString() : part));
    const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
    return missing
      ? { type: 'missing', loc, msg: 'Field required' }
      : { type: issue.code, loc, msg: issue.message };
  });
}
