import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { unwrapMappedIpv4 } from '@penstock/protocol';
import type { Interruption, TimerWheel } from '../../proxy/index.js';
import type { HeadDefect, StandaloneAnswer, UpgradeExchange } from '../front.port.js';
import { answerRaw } from './answer-raw.js';
import { headDefect } from './head-defect.js';

/** What an upgrade needs from the front it came in by. */
export interface UpgradeOwner {
  readonly draining: boolean;
  readonly timers: TimerWheel;
  /** The connection counts as in flight. */
  held(upgrade: NodeUpgrade): void;
  closed(): void;
}

/** A connection that `node:http` has let go of because its request asks for another protocol. */
export class NodeUpgrade implements UpgradeExchange {
  readonly method: string;
  readonly target: string;
  readonly headSent = true;
  readonly streams = true;
  ended = false;
  private onShutdown: (() => void) | null = null;

  constructor(
    private readonly request: IncomingMessage,
    readonly socket: Duplex,
    readonly early: Buffer,
    private readonly owner: UpgradeOwner,
  ) {
    this.method = request.method ?? '';
    this.target = request.url ?? '/';
  }

  get peer(): string {
    return unwrapMappedIpv4((this.socket as Socket).remoteAddress ?? '');
  }

  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  get defect(): HeadDefect | null {
    return headDefect(this.request);
  }

  get draining(): boolean {
    return this.owner.draining;
  }

  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  refuse(answer: StandaloneAnswer): void {
    answerRaw(this.socket, answer, this.owner.timers);
  }

  hold(onShutdown: () => void): void {
    this.onShutdown = onShutdown;
    this.owner.held(this);
    this.socket.once('close', () => {
      this.ended = true;
      this.owner.closed();
    });
  }

  /** Only the end of the process interrupts: what the connection carries is not HTTP any more. */
  interrupt(reason: Interruption): void {
    if (reason === 'shutdown' && !this.ended) this.onShutdown?.();
  }
}
