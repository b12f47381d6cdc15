import { createLogger, createMetrics } from '@penstock/observability';
import { describe, expect, it } from '@jest/globals';

import { createManagerMetrics } from '../../telemetry.js';
import type { BindingsStore } from './bindings.store.js';
import { DeliverEnvironmentService } from './deliver-environment.service.js';
import { TokenCipher } from './domain/token-cipher.js';
import type { ServiceEnvironmentSink } from './service-environment-sink.port.js';

const ID = '0198c0de-0000-7000-8000-000000000001';
const cipher = new TokenCipher('a-secret-for-the-tests-of-delivery-01');

class Shelf implements ServiceEnvironmentSink {
  lies: string | null = null;
  /** The first delivery takes until then. */
  first: Promise<void> = Promise.resolve();

  tokenFile(): string {
    return '';
  }

  async deliver(_id: string, { BACKENDAI_UPSTREAM_TOKEN: token }: { BACKENDAI_UPSTREAM_TOKEN: string }) {
    const { first } = this;
    this.first = Promise.resolve();
    await first;
    this.lies = token;
  }

  withdraw(): Promise<void> {
    this.lies = null;
    return Promise.resolve();
  }

  delivered(): Promise<string[]> {
    return Promise.resolve([]);
  }
}

describe('DeliverEnvironmentService', () => {
  it('leaves the newest token there, however two deliveries cross', async () => {
    const shelf = new Shelf();
    const gate = Promise.withResolvers<void>();
    shelf.first = gate.promise;
    let token = 'old';
    const bindings: Pick<BindingsStore, 'find'> = { find: () => Promise.resolve(rowOf(token)) };
    const service = makeService(bindings, shelf);
    const slow = service.deliver(ID);
    await new Promise(setImmediate);
    token = 'new';
    const quick = service.deliver(ID);
    await new Promise(setImmediate);
    gate.resolve();
    await Promise.all([slow, quick]);
    expect(shelf.lies).toBe('new');
  });
});

type Row = Awaited<ReturnType<BindingsStore['find']>>;

function rowOf(token: string): Row {
  const { bytes, keyId } = cipher.seal(token, ID);
  const none = { domain: 'd', project_id: ID, expires_at: null, attempts: 0, last_error: null };
  const free = { leased_until: null, lease_token: null };
  const at = new Date(0);
  const times = { issued_at: at, next_rotation_at: at, created_at: at, updated_at: at };
  const sealed = { token_ciphertext: bytes, encryption_key_id: keyId };
  return { deployment_id: ID, rotation_interval_s: 60, ...none, ...free, ...times, ...sealed };
}

function makeService(bindings: Pick<BindingsStore, 'find'>, sink: ServiceEnvironmentSink) {
  const logger = createLogger({ service: 'manager', level: 'fatal' });
  const metrics = createManagerMetrics(createMetrics({ service: 'manager' }));
  return new DeliverEnvironmentService(bindings as BindingsStore, sink, cipher, logger, metrics);
}
