import { createServer } from 'node:net';

import { eventually } from '@penstock/testkit';

/** Where a process opens its inspector on SIGUSR1 when nobody said otherwise. */
const INSPECTOR_PORT = 9_229;

interface Remote {
  readonly value?: string | number;
  readonly objectId?: string;
}

interface Reply {
  readonly id: number;
  readonly result?: { readonly result?: Remote; readonly objects?: Remote };
}

export interface Resources {
  readonly sockets: number;
  /** Timers that keep the process alive. */
  readonly timers: number;
  /** All timers, with those that the process's own list leaves out. */
  readonly allTimers: number;
}

const TIMER_PROTOTYPE = `(() => { const timer = setTimeout(() => {}, 1); clearTimeout(timer); return Object.getPrototypeOf(timer); })()`;
/** Runs inside the process, on the list of all its timer objects. */
const COUNT_PENDING = 'function () { return this.filter((timer) => !timer._destroyed).length; }';

/** Looks into a running node process through its inspector: garbage collection, heap, sockets and timers. */
export class ProcessProbe {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
  }

  /** @throws when another process holds the inspector's port */
  static async attach(pid: number): Promise<ProcessProbe> {
    await assertFree(INSPECTOR_PORT);
    process.kill(pid, 'SIGUSR1');
    const url = await eventually(inspectorUrl);
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    return new ProcessProbe(socket);
  }

  async heapAfterCollections(): Promise<number> {
    await this.#send('HeapProfiler.collectGarbage');
    await this.#send('HeapProfiler.collectGarbage');
    return Number(await this.#evaluate('process.memoryUsage().heapUsed'));
  }

  async resources(): Promise<Resources> {
    const names = JSON.parse(
      await this.#evaluate('JSON.stringify(process.getActiveResourcesInfo())'),
    ) as string[];
    const count = (name: string): number => names.filter((one) => one === name).length;
    const allTimers = await this.#fewestTimers();
    return { sockets: count('TCPSocketWrap'), timers: count('Timeout'), allTimers };
  }

  /** Polls and heartbeats come and go; what is left behind is in every sample. */
  async #fewestTimers(): Promise<number> {
    const samples: number[] = [];
    for (let taken = 0; taken < 5; taken += 1) samples.push(await this.#pendingTimers());
    return Math.min(...samples);
  }

  async #pendingTimers(): Promise<number> {
    const prototype = await this.#send('Runtime.evaluate', { expression: TIMER_PROTOTYPE });
    const query = { prototypeObjectId: prototype.result?.result?.objectId, objectGroup: 'timers' };
    const { result } = await this.#send('Runtime.queryObjects', query);
    const counting = {
      objectId: result?.objects?.objectId,
      functionDeclaration: COUNT_PENDING,
      returnByValue: true,
    };
    const count = (await this.#send('Runtime.callFunctionOn', counting)).result?.result?.value;
    await this.#send('Runtime.releaseObjectGroup', { objectGroup: 'timers' });
    if (typeof count !== 'number') throw new Error('the timers of the process cannot be counted');
    return count;
  }

  /** Also closes the inspector, whose port is wanted by the next probe; not while this is connected, which blocks. */
  async detach(): Promise<void> {
    await this.#evaluate(`setTimeout(() => process.getBuiltinModule('node:inspector').close(), 100)`);
    this.#socket.close();
    await eventually(() => assertFree(INSPECTOR_PORT));
  }

  async #evaluate(expression: string): Promise<string> {
    const reply = await this.#send('Runtime.evaluate', { expression: `String(${expression})` });
    return String(reply.result?.result?.value ?? '');
  }

  #send(method: string, params: object = {}): Promise<Reply> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

async function inspectorUrl(): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${INSPECTOR_PORT}/json/list`);
  const [target] = (await answer.json()) as { webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error('the inspector lists no target');
  return target.webSocketDebuggerUrl;
}

function assertFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
