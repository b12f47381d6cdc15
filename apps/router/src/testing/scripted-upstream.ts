import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request as a scripted upstream saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Resolves when the connection it came by is closed. */
  readonly socketClosed: Promise<void>;
}

export type Script = (seen: SeenRequest, response: ServerResponse) => void;

/** A model server whose answer a test writes down, on a free port. */
export class ScriptedUpstream {
  readonly seen: SeenRequest[] = [];
  readonly sockets = new Set<Socket>();
  script: Script = (_seen, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      '{"object":"chat.completion","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}',
    );
  };
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => this.take(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.setMaxListeners(0);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Requests that are no model discovery. */
  get calls(): SeenRequest[] {
    return this.seen.filter((request) => request.method === 'POST');
  }

  listen(port = 0): Promise<this> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', () => resolve(this)));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
      for (const socket of this.sockets) socket.destroy();
    });
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    const socketClosed = new Promise<void>((resolve) => request.socket.once('close', () => resolve()));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      const seen = { method, path: url, headers, rawHeaders, body, socketClosed };
      this.seen.push(seen);
      this.script(seen, response);
    });
  }
}
