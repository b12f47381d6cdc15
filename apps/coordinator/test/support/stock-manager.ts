import { API_SECRET } from './coordinator-instance.js';
import { loadVectors, withPlaceholders } from './vectors.js';

/** One call of a manager 26.9.6: what it sends, and what it needs of the answer. */
export interface ManagerCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How often it is sent while it fails. */
  readonly attempts: number;
}

interface CallRow {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body?: string;
}

const vectors = loadVectors<{
  readonly endpoints: readonly { readonly name: string; readonly body: unknown }[];
  readonly manager_26_9_6: { readonly calls: readonly CallRow[] };
}>('manager-api.json');

/** The deployment of the vectors. */
export const DEPLOYMENT_ID = 'a3c1e5d7-2b4f-4a2b-8c3d-00000000ea01';

const ATTEMPTS = 3;
const USER = 'c0ffee00-7a1b-4c2d-9e3f-000000000777';

/** Which body of the vectors a call carries. */
const BODIES: Readonly<Record<string, string>> = {
  'POST /v2/endpoints/bulk': 'create-bulk',
  'DELETE /v2/endpoints/bulk': 'delete-bulk',
  'POST /v2/endpoints/bulk/routes': 'routes-replace',
  'POST /v2/endpoints/bulk/routes/register': 'routes-register',
  'POST /v2/endpoints/bulk/routes/unregister': 'routes-unregister',
};

/** Every call the manager makes, in the order of a deployment's life: its end comes last. */
export function managerCalls(deploymentId: string): readonly ManagerCall[] {
  const rows = [...vectors.manager_26_9_6.calls].sort(
    (left, right) => Number(isEnd(left)) - Number(isEnd(right)),
  );
  return withPlaceholders(rows.map(toCall), { [DEPLOYMENT_ID]: deploymentId, '{id}': deploymentId });
}

function isEnd({ method }: CallRow): boolean {
  return method === 'DELETE';
}

function toCall(row: CallRow): ManagerCall {
  const { method, path } = row;
  const body = bodyOf(row);
  return {
    method,
    path,
    headers: {
      ...Object.fromEntries(row.headers.map(toHeader)),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
    attempts: path === '/v2/conf' || row.body?.includes('integer') ? 1 : ATTEMPTS,
  };
}

function toHeader(text: string): readonly [string, string] {
  const [name = '', value = API_SECRET] = text.split(': ');
  return [name, value];
}

function bodyOf({ method, path, body }: CallRow): unknown {
  if (path.endsWith('/token')) {
    const exp = body?.includes('integer') ? 1_798_761_600 : '2027-01-01T00:00:00Z';
    return { user_uuid: USER, exp };
  }
  if (path === '/v2/conf') return INTERACTIVE_SESSION;
  const name = BODIES[`${method} ${path}`];
  return vectors.endpoints.find((exchange) => exchange.name === name)?.body;
}

const INTERACTIVE_SESSION = {
  login_session_token: null,
  kernel_host: '127.0.0.1',
  kernel_port: 30011,
  session: {
    id: 'd1e2f3a4-5b6c-4d7e-8f90-000000000061',
    user_uuid: USER,
    group_id: 'c0ffee00-7a1b-4c2d-9e3f-000000000888',
    access_key: 'AKTEST',
    domain_name: 'default',
  },
};
