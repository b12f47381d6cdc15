import { AppError } from '@penstock/protocol';

/** What the data plane serves, as data: another endpoint of the same kind is one more line. */
export interface Route {
  /** Metric label and log field. */
  readonly name: string;
  readonly path: string;
  /** True when everything below the path belongs to it as well. */
  readonly below: boolean;
  readonly methods: readonly string[];
  readonly kind: 'inference' | 'list_models' | 'get_model';
  /** Whether the endpoint streams and knows `stream_options`. */
  readonly streams: boolean;
}

const POST = ['POST'] as const;
const GET = ['GET', 'HEAD'] as const;

const ROUTES: readonly Route[] = [
  inference('chat_completions', '/v1/chat/completions', true),
  inference('completions', '/v1/completions', true),
  inference('embeddings', '/v1/embeddings', false),
  {
    name: 'list_models',
    path: '/v1/models',
    below: false,
    methods: GET,
    kind: 'list_models',
    streams: false,
  },
  { name: 'get_model', path: '/v1/models/', below: true, methods: GET, kind: 'get_model', streams: false },
];

function inference(name: string, path: string, streams: boolean): Route {
  return { name, path, below: false, methods: POST, kind: 'inference', streams };
}

/** Where a request goes. `rest` is what follows the route's path. */
interface Served {
  readonly route: Route;
  readonly rest: string;
}

/** Methods that some path takes. */
export function servedMethods(): readonly string[] {
  return [...new Set(ROUTES.flatMap((route) => route.methods)), 'OPTIONS'];
}

/** Methods a route takes, the preflight's among them. */
export function methodsOf(route: Route): readonly string[] {
  return [...route.methods, 'OPTIONS'];
}

/** The route of a request target; null when the table has none. */
export function routeOf(target: string): Served | null {
  return findRoute(pathOf(target));
}

/**
 * The same where nothing else is served.
 * @throws AppError `unknown_url`
 */
export function servedRoute(target: string): Served {
  const found = routeOf(target);
  if (found !== null) return found;
  const paths = ROUTES.map((route) => route.path).join(', ');
  throw new AppError('unknown_url', `Nothing is served under this path. Served are: ${paths}.`);
}

/** @throws AppError `method_not_allowed` */
export function checkMethod(route: Route, method: string): void {
  if (route.methods.includes(method)) return;
  const message = `${route.path} takes ${route.methods.join(' and ')} only.`;
  throw new AppError('method_not_allowed', message, { allow: methodsOf(route) });
}

function findRoute(path: string): Served | null {
  for (const route of ROUTES) {
    if (route.below ? path.length > route.path.length && path.startsWith(route.path) : path === route.path) {
      return { route, rest: path.slice(route.path.length) };
    }
  }
  return null;
}

/** Path of a request target. Absolute targets, as sent to proxies, count by their path. */
export function pathOf(target: string): string {
  let start = 0;
  if (!target.startsWith('/')) {
    const authority = /^https?:\/\/[^/?#]*/i.exec(target);
    start = authority === null ? 0 : authority[0].length;
  }
  const end = target.search(/[?#]/);
  const path = end === -1 ? target.slice(start) : target.slice(start, Math.max(start, end));
  return path === '' ? '/' : path;
}
