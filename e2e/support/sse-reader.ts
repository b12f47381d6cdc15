import { request, type RequestOptions } from 'node:http';

import { bearer } from './router-api.ts';

export interface LiveStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Everything received so far. */
  text(): string;
  /** Arrival times in epoch milliseconds, one per piece. */
  readonly arrivals: readonly number[];
  /** Settles when the stream is over, with whether it ended or broke. */
  readonly ended: Promise<'ended' | 'broken'>;
  /** Closes the socket and says when. */
  abort(): number;
}

export interface StreamCall {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly path?: string;
  readonly extra?: object;
}

/** Opens a streamed chat on a connection of its own; settles with the response head. */
export function openStream(stream: StreamCall): Promise<LiveStream> {
  return new Promise((resolve, reject) => {
    const call = openCall(stream);
    call.once('error', reject);
    call.once('response', (response) => {
      const pieces: Buffer[] = [];
      const arrivals: number[] = [];
      const ended = new Promise<'ended' | 'broken'>((settle) => {
        response.once('end', () => settle('ended'));
        response.once('error', () => settle('broken'));
        response.once('close', () => settle(response.complete ? 'ended' : 'broken'));
      });
      call.on('error', () => undefined);
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        arrivals.push(Date.now());
      });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => Buffer.concat(pieces).toString('utf8'),
        arrivals,
        ended,
        abort: () => {
          call.destroy();
          return Date.now();
        },
      });
    });
  });
}

/** Sends a call and never waits for its answer; for clients that leave before there is one. */
export function openCall({ baseUrl, key, model, path = '/chat/completions', extra = {} }: StreamCall) {
  const options: RequestOptions = {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...bearer(key) },
  };
  const call = request(`${baseUrl}${path}`, options);
  const body = { model, messages: [{ role: 'user', content: 'hello' }], stream: true, ...extra };
  call.end(JSON.stringify(body));
  return call;
}
