import type { IncomingMessage, ServerResponse } from 'node:http';
import type { z } from 'zod';

import { behaviourPatchSchema, describeBehaviour, patchBehaviour } from './behaviour.js';
import { faultScriptSchema, type Fault } from './faults.js';
import type { Listener } from './listener.js';
import { parseJson, readBody } from './read-body.js';
import type { ReplicaState } from './replica-state.js';

const MAX_BODY_BYTES = 1024 * 1024;

/** Raised inside an admin route; becomes a 400 with the text. */
class BadAdminRequest extends Error {}

/** The admin side of one replica: scripts faults and reports what the model listener saw. JSON in, JSON out. */
export class AdminServer {
  readonly #state: ReplicaState;
  readonly #models: Listener;
  readonly #routes: ReadonlyMap<string, (body: unknown) => object | Promise<object>>;

  constructor(state: ReplicaState, models: Listener) {
    this.#state = state;
    this.#models = models;
    this.#routes = new Map<string, (body: unknown) => object | Promise<object>>([
      ['GET /requests', () => ({ requests: state.log.all() })],
      ['GET /stats', () => this.#stats()],
      ['GET /faults', () => ({ faults: state.faults.pending() })],
      ['POST /faults', (body) => this.#addFaults(parsed(faultScriptSchema, body))],
      ['DELETE /faults', () => this.#clearFaults()],
      ['GET /behaviour', () => describeBehaviour(state.behaviour)],
      ['PUT /behaviour', (body) => this.#setBehaviour(body)],
      ['POST /reset', () => this.#reset()],
    ]);
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    readBody(request, MAX_BODY_BYTES, (body) => {
      void this.#answer(request, body).then(({ status, json }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      });
    });
  }

  async #answer(request: IncomingMessage, body: Buffer | null): Promise<{ status: number; json: object }> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    const route = this.#routes.get(`${request.method} ${path}`);
    if (route === undefined) return problem(404, `No admin route ${request.method} ${path}.`);
    if (body === null) return problem(413, 'The body is too large.');
    try {
      return { status: 200, json: await route(body.length === 0 ? undefined : parseJson(body)) };
    } catch (error) {
      return error instanceof BadAdminRequest ? problem(400, error.message) : problem(500, String(error));
    }
  }

  async #stats(): Promise<object> {
    const { model, stats, slots, faults } = this.#state;
    return {
      model,
      requests: stats.requests,
      active: stats.active,
      completed: stats.completed,
      aborted_sockets: stats.abortedSockets,
      running: slots.running,
      waiting: slots.waiting,
      faults_applied: faults.applied,
      open_sockets: await this.#models.openSockets(),
      by_path: Object.fromEntries(stats.byPath),
    };
  }

  async #addFaults(script: readonly Fault[]): Promise<object> {
    this.#state.faults.add(script.filter(({ kind }) => kind !== 'refuse'));
    if (script.some(({ kind }) => kind === 'refuse')) await this.#models.close();
    return { faults: this.#state.faults.pending() };
  }

  async #clearFaults(): Promise<object> {
    this.#state.faults.clear();
    await this.#models.open();
    return { faults: [] };
  }

  #setBehaviour(body: unknown): object {
    this.#state.behaviour = patchBehaviour(this.#state.behaviour, parsed(behaviourPatchSchema, body));
    return describeBehaviour(this.#state.behaviour);
  }

  async #reset(): Promise<object> {
    this.#state.reset();
    await this.#models.open();
    return { reset: true };
  }
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new BadAdminRequest(lines.join('; '));
}

function problem(status: number, detail: string): { status: number; json: object } {
  return { status, json: { status, detail } };
}
