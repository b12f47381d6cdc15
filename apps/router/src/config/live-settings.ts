import type { ConfigSource } from '@penstock/config';
import { mergeReloadable } from './reloadable.js';
import type { RouterConfig } from './router.config.js';

type ChangeListener = (current: RouterConfig, applied: readonly string[]) => void;

/** What reading the configuration again led to. */
export type ReloadOutcome =
  | { readonly ok: true; readonly applied: readonly string[]; readonly needRestart: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The settings in effect. Whoever keeps this object, and not a value taken from it, follows a reload. */
export class LiveSettings {
  private effective: RouterConfig;
  private readonly listeners = new Set<ChangeListener>();

  constructor(private readonly source: Pick<ConfigSource<RouterConfig>, 'current' | 'reload'>) {
    this.effective = source.current();
  }

  get current(): RouterConfig {
    return this.effective;
  }

  onChange(listener: ChangeListener): void {
    this.listeners.add(listener);
  }

  /** Reads the configuration again; when anything in it is wrong, all of it stays as it was. */
  reload(): ReloadOutcome {
    const read = this.source.reload();
    if (!read.ok) return read;
    const { effective, applied, needRestart } = mergeReloadable(this.effective, read.value);
    this.effective = effective;
    if (applied.length > 0) for (const listener of this.listeners) listener(effective, applied);
    return { ok: true, applied, needRestart };
  }
}
