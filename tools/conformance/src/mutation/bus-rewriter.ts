import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { readMessage, writeMessage } from './bus-message.js';
import type { BusMessage } from './mutation.js';
import { RespMessages } from './resp-messages.js';

export interface BusRewriterOptions {
  readonly redisUrl: string;
  /** Called with every event that a subscriber behind this proxy is sent. */
  readonly rewrite: (message: BusMessage) => void;
}

/** A proxy in front of Redis that lets every event be seen and changed before its subscriber gets it. */
export class BusRewriter {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly options: BusRewriterOptions) {
    this.server = createServer((client) => this.join(client));
  }

  static async start(options: BusRewriterOptions): Promise<BusRewriter> {
    const rewriter = new BusRewriter(options);
    await new Promise<void>((resolve) => rewriter.server.listen(0, '127.0.0.1', resolve));
    return rewriter;
  }

  /** The URL of the Redis behind, by way of this proxy. */
  get url(): string {
    const url = new URL(this.options.redisUrl);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.toString();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private join(client: Socket): void {
    const { hostname, port } = new URL(this.options.redisUrl);
    const server = connect(Number(port || 6379), hostname);
    const messages = new RespMessages((text) => this.rewritten(text));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => server.write(chunk));
    server.on('data', (chunk: Buffer) => client.write(messages.push(chunk)));
  }

  private rewritten(text: string): string | undefined {
    const message = readMessage(text);
    if (!message) return text;
    this.options.rewrite(message);
    return message.dropped ? undefined : writeMessage(message, text);
  }
}
