/** Long enough to spare browsers a preflight per call, short enough for a changed list of origins. */
const MAX_AGE_SECONDS = '600';

const EXPOSED = 'x-request-id, x-penstock-client-request-id, x-penstock-revision, retry-after';

/** Which web pages may read answers. Keys, not cookies, carry the authority, so `*` is safe. */
export class CorsPolicy {
  private readonly any: boolean;
  private readonly origins: ReadonlySet<string>;

  /** @param allowedOrigins - origins such as `https://app.example.com`, or `*` */
  constructor(allowedOrigins: readonly string[]) {
    this.any = allowedOrigins.includes('*');
    this.origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  }

  /** Headers on an answer to a request from a page; none for a request that came from no page. */
  headers(origin: string | undefined): readonly string[] {
    if (origin === undefined) return [];
    const allowed = this.allowed(origin);
    if (allowed === null) return ['vary', 'origin'];
    const headers = ['access-control-allow-origin', allowed, 'access-control-expose-headers', EXPOSED];
    return this.any ? headers : [...headers, 'vary', 'origin'];
  }

  /** The same where peers send them to everybody: on the hosts of endpoints, whoever asks. */
  openHeaders(origin: string | undefined): readonly string[] {
    const headers = this.any ? ['access-control-allow-origin', '*'] : this.headers(origin);
    if (!headers.includes('access-control-allow-origin')) return headers;
    const expose = this.any ? ['access-control-expose-headers', EXPOSED] : [];
    return [...headers, ...expose, 'access-control-allow-headers', 'authorization'];
  }

  /** Headers of a preflight's answer. What the page asks to send is allowed: SDKs add headers of their own. */
  preflight(
    origin: string | undefined,
    methods: readonly string[],
    asked: string | undefined,
  ): readonly string[] {
    const allowed = origin === undefined ? null : this.allowed(origin);
    const vary = ['vary', 'origin, access-control-request-method, access-control-request-headers'];
    if (allowed === null) return vary;
    const headers = [
      'access-control-allow-origin',
      allowed,
      'access-control-allow-methods',
      methods.join(', '),
    ];
    if (asked !== undefined) headers.push('access-control-allow-headers', asked);
    return [...headers, 'access-control-max-age', MAX_AGE_SECONDS, ...vary];
  }

  private allowed(origin: string): string | null {
    if (this.any) return '*';
    return this.origins.has(origin.toLowerCase()) ? origin : null;
  }
}
