import { createServer } from 'node:net';

import { eventually } from '@penstock/testkit';

/** Where a process opens its inspector on SIGUSR1 when nobody said otherwise. */
const INSPECTOR_PORT = 9_229;

interface Reply {
  readonly id: number;
  readonly result?: { readonly result?: { readonly value?: string } };
}

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

  async resources(): Promise<{ sockets: number; timers: number }> {
    const names = JSON.parse(
      await this.#evaluate('JSON.stringify(process.getActiveResourcesInfo())'),
    ) as string[];
    const count = (name: string): number => names.filter((one) => one === name).length;
    return { sockets: count('TCPSocketWrap'), timers: count('Timeout') };
  }

  detach(): void {
    this.#socket.close();
  }

  async #evaluate(expression: string): Promise<string> {
    const reply = await this.#send('Runtime.evaluate', { expression: `String(${expression})` });
    return reply.result?.result?.value ?? '';
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
