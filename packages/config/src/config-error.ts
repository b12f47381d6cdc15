/** Everything that is wrong with a configuration, at once. Each problem says where, what and what to do. */
export class ConfigError extends Error {
  constructor(
    readonly service: string,
    readonly problems: readonly string[],
  ) {
    super(
      `The ${service} configuration has ${count(problems.length)}:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    );
    this.name = 'ConfigError';
  }
}

function count(problems: number): string {
  return problems === 1 ? 'a problem' : `${problems} problems`;
}
