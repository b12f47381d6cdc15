import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseOverride } from '../plan/config-overrides.js';
import { DEFAULT_PORTS } from '../plan/port-needs.js';
import {
  type ConfigOverride,
  LOG_LEVELS,
  type LogLevel,
  PORT_KINDS,
  type PortKind,
  ROUTER_MODES,
  type RouterMode,
  type StackOptions,
} from '../plan/stack-options.js';
import { dataDirOption } from './data-dir-option.js';
import { wholeNumber } from './parse-number.js';

/** Options as commander gives them: camelCase, ports under `<kind>Port`. */
export interface UpFlags extends Record<string, unknown> {
  dataDir: string;
  demo: boolean;
  detach?: boolean;
  json?: boolean;
  mode: RouterMode;
  wildcardDomain: string;
  internal?: boolean;
  workers: number;
  routers: number;
  coordinators: number;
  ports: 'fixed' | 'auto';
  authority: string;
  logLevel: LogLevel;
  set: ConfigOverride[];
}

/** Adds what describes a stack; shared by `up` and the supervisor it starts. */
export function addStackOptions(command: Command): Command {
  command
    .addOption(dataDirOption())
    .option('--no-demo', 'start without demo deployments, published model and key')
    .addOption(
      new Option('--mode <mode>', 'published models behind one address, or a host name per deployment')
        .choices(ROUTER_MODES)
        .default('router'),
    )
    .option('--wildcard-domain <domain>', 'of the host names in wildcard mode', domain, '.models.localhost')
    .option('--internal', 'open the internal listeners too, for deployments that are not public')
    .option('--workers <n>', 'processes per router', wholeNumber(1, 64), 1)
    .option('--routers <n>', 'router instances', wholeNumber(1, 16), 2)
    .option('--coordinators <n>', 'coordinator processes', wholeNumber(1, 8), 1)
    .option('--authority <name>', 'the authority the routers serve', 'penstock')
    .addOption(new Option('--log-level <level>', 'of all services').choices(LOG_LEVELS).default('info'))
    .addOption(
      new Option('--ports <how>', 'the documented ports, or free ones')
        .choices(['fixed', 'auto'])
        .default('fixed'),
    )
    .option('--set <service.key=value>', 'one configuration value; may be repeated', collectOverride, []);
  for (const kind of PORT_KINDS) {
    const text = `(first) port, ${DEFAULT_PORTS[kind]} unless chosen`;
    command.option(`--${kind}-port <port>`, text, wholeNumber(1, 65_535));
  }
  return command;
}

function collectOverride(text: string, earlier: ConfigOverride[]): ConfigOverride[] {
  return [...earlier, parseOverride(text)];
}

/** A domain with its leading dot, which may be left out. */
function domain(text: string): string {
  const labels = text.toLowerCase().replace(/^\./, '').split('.');
  if (labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label)))
    return `.${labels.join('.')}`;
  throw new InvalidArgumentError('It must be a domain such as .models.example.com.');
}

/** From flags to what the plan is made of. */
export function stackOptions(flags: UpFlags): StackOptions {
  const { dataDir, demo, mode, workers, routers, coordinators, ports, authority, logLevel } = flags;
  return {
    dataDir,
    demo,
    mode,
    wildcardDomain: mode === 'wildcard' ? flags.wildcardDomain : null,
    internal: flags.internal === true,
    workers,
    routers,
    coordinators,
    ports,
    authority,
    logLevel,
    chosenPorts: chosenPorts(flags),
    overrides: flags.set,
  };
}

function chosenPorts(flags: UpFlags): StackOptions['chosenPorts'] {
  const entries = PORT_KINDS.map((kind) => [kind, flags[flagName(kind)]] as const);
  return Object.fromEntries(entries.filter(([, port]) => typeof port === 'number'));
}

/** `router-admin` becomes `routerAdminPort`. */
function flagName(kind: PortKind): string {
  return `${kind.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Port`;
}
