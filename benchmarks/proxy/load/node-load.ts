/** Load generator for machines without wrk: keep-alive sockets, one request at a time on each. */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

import { AnswerReader } from './answer-reader.ts';
import type { BenchRequest } from '../scenario.ts';

interface Plan {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: readonly BenchRequest[];
}

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Plan;
const wire = plan.requests.map(({ authorization, body }) =>
  Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
      `authorization: ${authorization}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  ),
);
const latenciesUs: number[] = [];
const startedAt = process.hrtime.bigint();
const endsAt = startedAt + BigInt(plan.seconds) * 1_000_000_000n;
let errors = 0;
let turn = 0;

function drive(onDone: () => void): void {
  const socket: Socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
  let sentAt = 0n;
  const send = (): void => {
    sentAt = process.hrtime.bigint();
    socket.write(wire[turn++ % wire.length] ?? Buffer.alloc(0));
  };
  const reader = new AnswerReader((status) => {
    const now = process.hrtime.bigint();
    latenciesUs.push(Number(now - sentAt) / 1_000);
    if (status < 200 || status > 299) errors += 1;
    if (now >= endsAt) socket.end();
    else send();
  });
  socket.on('connect', send);
  socket.on('data', (chunk) => reader.push(chunk));
  socket.on('error', () => (errors += 1));
  socket.on('close', () => (process.hrtime.bigint() < endsAt ? fail(onDone) : onDone()));
}

/** A connection that breaks early counts and is replaced, as wrk does. */
function fail(onDone: () => void): void {
  errors += 1;
  drive(onDone);
}

function report(): void {
  latenciesUs.sort((a, b) => a - b);
  const percentile = (share: number): number => latenciesUs[Math.floor(latenciesUs.length * share)] ?? 0;
  const result = {
    requests: latenciesUs.length,
    duration_us: Number(process.hrtime.bigint() - startedAt) / 1_000,
    p50_us: percentile(0.5),
    p99_us: percentile(0.99),
    errors,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

const all = Array.from({ length: plan.connections }, () => new Promise<void>((resolve) => drive(resolve)));
void Promise.all(all).then(report);
