/** Values of the environment, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Interpolated {
  readonly text: string;
  /** True when the text held a reference, so that it stands for a value of any type. */
  readonly changed: boolean;
  /** Names that are not set and have no default. */
  readonly missing: readonly string[];
}

const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g;
const NAME = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Replaces `${NAME}` and `${NAME:-default}`; `$${` stands for a literal `${`. An empty variable counts as unset, as in
 * a shell's `:-`.
 */
export function interpolate(text: string, env: Environment): Interpolated {
  const missing: string[] = [];
  const replaced = text.replace(REFERENCE, (whole, inner: string | undefined) => {
    if (inner === undefined) return '${';
    const [, name, fallback] = NAME.exec(inner) ?? [];
    if (name === undefined) {
      missing.push(whole);
      return whole;
    }
    const value = env[name] || fallback;
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: replaced, changed: replaced !== text, missing };
}
