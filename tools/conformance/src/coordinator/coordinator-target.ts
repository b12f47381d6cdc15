import type { Agent } from 'node:http';
import type { Bus } from '../checking/bus.js';

/** The coordinator under test and what is known about it. */
export interface CoordinatorTarget {
  readonly url: string;
  readonly apiSecret: string;
  readonly jwtSecret: string | undefined;
  readonly bus: Bus | undefined;
  readonly agent: Agent;
}
