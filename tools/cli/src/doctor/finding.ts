/** One thing `doctor` looked at. */
export interface Finding {
  name: string;
  /** `note` is worth knowing and stops nothing. */
  level: 'ok' | 'note' | 'problem';
  detail: string;
  advice: string | null;
}

export function ok(name: string, detail: string): Finding {
  return { name, level: 'ok', detail, advice: null };
}

export function note(name: string, detail: string, advice: string | null = null): Finding {
  return { name, level: 'note', detail, advice };
}

export function problem(name: string, detail: string, advice: string): Finding {
  return { name, level: 'problem', detail, advice };
}

/** A line for people, with the advice below it. */
export function findingLines({ name, level, detail, advice }: Finding): string[] {
  const mark = { ok: 'ok', note: 'note', problem: 'PROBLEM' }[level];
  return [`${mark.padEnd(8)}${name.padEnd(20)}${detail}`, ...(advice ? [`${' '.repeat(28)}${advice}`] : [])];
}
