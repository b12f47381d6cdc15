import { randomUUID } from 'node:crypto';

import type { AnswerBody } from './answer.js';
import type { Call, CoordinatorInstance } from './coordinator-instance.js';

/** An answer of the interactive calls; which fields it has is what the tests find out. */
export interface InteractiveAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly token: string;
    readonly url: string;
    readonly redirect_url: string;
    readonly reuse: boolean;
  } & Pick<AnswerBody, 'data' | 'title'>;
}

type Query = Readonly<Record<string, string>>;

/** A manager's hand-over of one session, and the user who opens its apps. */
export class InteractiveSession {
  private constructor(
    private readonly coordinator: CoordinatorInstance,
    readonly id: string,
    readonly token: string,
  ) {}

  static async handOver(coordinator: CoordinatorInstance, id = randomUUID()): Promise<InteractiveSession> {
    const answer = await configure(coordinator, handOver({ id }));
    if (answer.status !== 200) throw new Error(`hand-over refused: ${JSON.stringify(answer.body)}`);
    return new InteractiveSession(coordinator, id, answer.body.token);
  }

  /** `GET /v2/proxy/auth`, as a program unless headers say otherwise. */
  async open(query: Query, headers: Query = { accept: 'application/json' }): Promise<InteractiveAnswer> {
    const all = { token: this.token, session_id: this.id, app: 'jupyter', protocol: 'http', ...query };
    const path = `/v2/proxy/auth?${new URLSearchParams(all).toString()}`;
    return (await this.coordinator.call('GET', path, { headers })) as unknown as InteractiveAnswer;
  }

  /** The same session as another coordinator sees it. */
  at(coordinator: CoordinatorInstance): InteractiveSession {
    return new InteractiveSession(coordinator, this.id, this.token);
  }
}

export async function configure(
  coordinator: CoordinatorInstance,
  body: unknown,
  call: Omit<Call, 'body'> = {},
): Promise<InteractiveAnswer> {
  return (await coordinator.call('POST', '/v2/conf', { body, ...call })) as unknown as InteractiveAnswer;
}

/** The body of `POST /v2/conf` as a manager of Backend.AI sends it. */
export function handOver(session: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    login_session_token: null,
    kernel_host: '127.0.0.1',
    kernel_port: 30011,
    session: {
      id: randomUUID(),
      user_uuid: 'c0ffee00-7a1b-4c2d-9e3f-000000000777',
      group_id: 'c0ffee00-7a1b-4c2d-9e3f-000000000888',
      access_key: 'AKTEST',
      domain_name: 'default',
      ...session,
    },
  };
}

/** Fields that make a registration one of a stock worker that carries interactive apps. */
export const STOCK = {
  hostname: 'worker.example.com',
  api_port: 10201,
  tls_advertised: false,
  traffic_port: null,
  node_id: null,
  accepted_traffics: ['interactive'],
} as const;

export const portWorker = (first: number, last: number) => ({
  ...STOCK,
  frontend_mode: 'port',
  port_range: [first, last],
});

export const WILDCARD_WORKER = {
  ...STOCK,
  frontend_mode: 'wildcard',
  wildcard_domain: '.models.example.com',
  wildcard_traffic_port: 10600,
} as const;
