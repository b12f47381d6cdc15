import type { FastifyInstance } from 'fastify';

/** Remembers every route, to tell a wrong method from a wrong path. */
export class KnownRoutes {
  private readonly routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** Must be called before the first route is added. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onRoute', ({ url, method }) => this.add(url, [method].flat()));
  }

  /** Methods that exist for a path, sorted; empty when the path is unknown. */
  methodsOf(path: string): readonly string[] {
    const methods = new Set<string>();
    for (const route of this.routes.values()) {
      if (route.pattern.test(path)) for (const method of route.methods) methods.add(method);
    }
    return [...methods].sort();
  }

  private add(url: string, methods: readonly string[]): void {
    const route = this.routes.get(url) ?? { pattern: toPattern(url), methods: new Set<string>() };
    for (const method of methods) route.methods.add(method);
    this.routes.set(url, route);
  }
}

/** `/a/:id` matches one segment at the parameter, `*` anything. */
function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.split('*').map(escape).join('.*')))
    .join('/');
  return new RegExp(`^${source}$`);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
