import { createHash, randomUUID } from 'node:crypto';
import type { JsonObject } from '../checking/json.js';
import type { CoordinatorBench } from './coordinator-bench.js';
import type { FakeWorker } from './fake-worker.js';

/** Path of the publications of an authority, or of one. */
export const models = ({ authority }: FakeWorker, name = ''): string =>
  `/v2/routers/${encodeURIComponent(authority)}/models${name && `/${encodeURIComponent(name)}`}`;
/** Path of the keys of an authority, or of one. */
export const keys = ({ authority }: FakeWorker, id = ''): string =>
  `/v2/routers/${encodeURIComponent(authority)}/api-keys${id && `/${id}`}`;
/** Path of the snapshot of a router. */
export const config = ({ id }: FakeWorker): string => `/api/worker/${id}/router-config`;

/** Body of a publication that maps nothing. */
export const publication = (...aliases: string[]): JsonObject => ({
  aliases,
  mappings: [],
  control_mode: 'manual',
});

/** Body of a key of its own hash. */
export function key(grants: string[] = ['any']): JsonObject {
  const token_hash = createHash('sha256').update(randomUUID()).digest('hex');
  return { token_hash, allowed_models: grants, expires_at: null, rate_limit: null, display_hint: 'sk-…test' };
}

/** Publishes a model until the end of the check. */
export async function publish(
  bench: CoordinatorBench,
  worker: FakeWorker,
  name: string,
  body = publication(),
) {
  bench.undo('DELETE', models(worker, name));
  return bench.call('PUT', models(worker, name), body);
}

/** Issues a key until the end of the check. */
export async function issue(bench: CoordinatorBench, worker: FakeWorker, body = key()) {
  const id = randomUUID();
  bench.undo('DELETE', keys(worker, id));
  return { id, answer: await bench.call('PUT', keys(worker, id), body) };
}
