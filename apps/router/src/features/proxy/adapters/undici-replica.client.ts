import { isIPv6 } from 'node:net';
import { Readable } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import type {
  PullSource,
  ReplicaAddress,
  ReplicaCall,
  ReplicaClient,
  ReplicaRequest,
  ReplicaSink,
} from '../replica-client.port.js';
import { classifyFailure } from './classify-failure.js';
import { replicaConnector } from './replica-connector.js';

interface UndiciReplicaClientOptions {
  readonly connectTimeoutMs: number;
  readonly networks: readonly string[];
  /** A stream owns its connection for its life, so this bounds the streams to one replica. */
  readonly connectionsPerReplica?: number;
}

/** The longest head a replica may send. */
const ANSWER_HEAD_BYTES_MAX = 64 * 1024;
/** Up to here a stream of its own would cost more than the memory is worth. */
const KEPT_BYTES_MAX = 32 * 1024;

/** Replicas through undici's raw `dispatch`: one pool per replica, no pipelining, no stream per answer. */
export class UndiciReplicaClient implements ReplicaClient {
  private readonly pools = new Map<string, Pool>();

  constructor(private readonly options: UndiciReplicaClientOptions) {}

  send(replica: ReplicaAddress, request: ReplicaRequest, sink: ReplicaSink): ReplicaCall {
    const call = new UndiciCall(sink);
    try {
      this.pool(replica).dispatch(dispatchOptions(request), call);
    } catch (error) {
      call.onResponseError(null, error as Error);
    }
    return call;
  }

  retain(addressKeys: ReadonlySet<string>): void {
    for (const [key, pool] of this.pools) {
      if (addressKeys.has(key)) continue;
      this.pools.delete(key);
      // Closing waits for running calls; there is nobody to tell when it ends.
      pool.close().catch(() => undefined);
    }
  }

  async destroy(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private pool(replica: ReplicaAddress): Pool {
    const known = this.pools.get(replica.key);
    if (known !== undefined) return known;
    const host = isIPv6(replica.host) ? `[${replica.host}]` : replica.host;
    const pool = new Pool(`http://${host}:${replica.port}`, {
      connections: this.options.connectionsPerReplica ?? 4_096,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
      // Deadlines are the caller's, on one shared clock.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: replicaConnector(this.options),
    });
    this.pools.set(replica.key, pool);
    return pool;
  }
}

/** undici has no way to ask for a connection of its own, so `fresh` is not met here. */
function dispatchOptions(request: ReplicaRequest): Dispatcher.DispatchOptions {
  const { method, path, body, host } = request;
  const headers = host === undefined ? request.headers : [...request.headers, 'host', host];
  if (body === null) return { method, path, headers, body };
  if (Buffer.isBuffer(body)) {
    return { method, path, headers, body: body.length > KEPT_BYTES_MAX ? passing(body) : body };
  }
  const sized = body.length === null ? headers : [...headers, 'content-length', String(body.length)];
  return { method, path, headers: sized, body: Readable.from(pieces(body), { objectMode: false }) };
}

/** undici keeps a buffer until the answer has ended, which may take long; what a stream has yielded it lets go. */
function passing(body: Buffer): Readable {
  const stream = new Readable({ read: () => undefined });
  stream.push(body);
  stream.push(null);
  return stream;
}

async function* pieces(source: PullSource): AsyncGenerator<Buffer> {
  for (let piece = await source.pull(); piece !== null; piece = await source.pull()) yield piece;
}

/** One call. undici may report several errors and reports our own abort as one; only the first end counts. */
class UndiciCall implements ReplicaCall, Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | null = null;
  private done = false;

  constructor(private readonly sink: ReplicaSink) {}

  resume(): void {
    this.controller?.resume();
  }

  abort(): void {
    if (this.done) return;
    this.done = true;
    this.controller?.abort(new Error('Abandoned by the router'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // Abandoned while it waited for a connection: there was nothing to abort then.
    if (this.done) controller.abort(new Error('Abandoned by the router'));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (this.done || status < 200) return;
    const raw = controller.rawHeaders as readonly (Buffer | string)[];
    const headers: string[] = [];
    let length: number | null = null;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = latin1(raw[index]);
      const value = latin1(raw[index + 1]);
      headers.push(name, value);
      if (name.length === 14 && name.toLowerCase() === 'content-length') length = Number(value);
    }
    this.sink.head(status, headers, length);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.done) return;
    if (!this.sink.data(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.done) return;
    this.done = true;
    this.sink.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.done) return;
    this.done = true;
    this.sink.fail(classifyFailure(error), error);
  }
}

function latin1(value: Buffer | string | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : value.toString('latin1');
}
