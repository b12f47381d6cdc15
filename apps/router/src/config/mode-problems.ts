/** The settings that belong to one frontend mode. */
interface ModeSettings {
  readonly mode: 'router' | 'wildcard';
  readonly wildcard: object | null;
  readonly traffic_port: number | null;
  readonly allow_unrestricted_keys: boolean;
  readonly hide_ungranted_models: boolean;
}

interface ModeProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Settings of a mode that is not this process's. They are refused rather than ignored: an operator who wrote them expects
 * a listener that this process will not have.
 */
export function modeProblems(config: ModeSettings): readonly ModeProblem[] {
  if (config.mode === 'wildcard') return wildcardProblems(config);
  if (config.wildcard === null) return [];
  return [
    {
      path: ['wildcard'],
      message: 'needs mode "wildcard"; one process is either a router or a wildcard worker',
    },
  ];
}

function wildcardProblems(config: ModeSettings): readonly ModeProblem[] {
  const problems: ModeProblem[] = [];
  if (config.wildcard === null) {
    problems.push({
      path: ['wildcard'],
      message: 'is missing; mode "wildcard" needs its domain and jwt_secret',
    });
  }
  if (config.traffic_port !== null) problems.push(routerOnly('traffic_port', ', see wildcard.traffic_port'));
  if (config.allow_unrestricted_keys) problems.push(routerOnly('allow_unrestricted_keys'));
  if (config.hide_ungranted_models) problems.push(routerOnly('hide_ungranted_models'));
  return problems;
}

function routerOnly(setting: string, instead = ''): ModeProblem {
  return { path: [setting], message: `belongs to mode "router"${instead}` };
}
