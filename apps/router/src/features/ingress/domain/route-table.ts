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

export const ROUTES: readonly Route[] = [
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

/** The route of a path, and what follows its path; null when nothing is served there. */
export function findRoute(path: string): { readonly route: Route; readonly rest: string } | null {
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
