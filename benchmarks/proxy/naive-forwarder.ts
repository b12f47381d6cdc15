/**
 * The floor Penstock is compared with: what one writes in an afternoon. It looks the key up by its SHA-256, reads
 * `model` with JSON.parse, forwards with `undici.request` and relays with `pipeline`, with an AbortController for
 * clients that leave. No retries, no limits, no metrics, no log, no routing.
 *
 * This file is a yardstick: changing it changes every published ratio, so it stays as it is.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

import { Pool } from 'undici';

interface Settings {
  readonly port: number;
  readonly upstream: string;
  /** SHA-256 of each key, in hex, with the models it may call. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings;
const keys = new Map(Object.entries(settings.keys).map(([hash, models]) => [hash, new Set(models)]));
const pool = new Pool(settings.upstream, { connections: 256 });

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);

  const token = (request.headers.authorization ?? '').replace(/^Bearer /i, '');
  const models = keys.get(createHash('sha256').update(token).digest('hex'));
  if (models === undefined) return refuse(response, 401, 'invalid_api_key');
  const { model } = JSON.parse(body.toString('utf8')) as { model?: string };
  if (model === undefined || !models.has(model)) return refuse(response, 403, 'model_not_allowed');

  const abort = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) abort.abort();
  });
  const upstream = await pool.request({
    path: request.url ?? '/',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: abort.signal,
  });
  const headers = { ...upstream.headers };
  delete headers['connection'];
  delete headers['keep-alive'];
  response.writeHead(upstream.statusCode, headers);
  await pipeline(upstream.body, response);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { code } }));
}

createServer((request, response) => {
  forward(request, response).catch(() => {
    if (!response.headersSent) refuse(response, 502, 'upstream_error');
    else response.destroy();
  });
}).listen(settings.port, '127.0.0.1', () => process.stdout.write('ready\n'));
