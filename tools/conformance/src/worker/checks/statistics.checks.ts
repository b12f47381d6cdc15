import { expectStatus, insist } from '../../checking/expect.js';
import { answers } from '../../mutation/mutation.js';
import { idOf } from '../circuit.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';

const WAIT_MS = 6_000;
const PAUSE_MS = 50;

/** Where a worker leaves what its coordinator shows as statistics. */
export const STATISTICS_CHECKS: readonly WorkerCheck[] = [
  {
    id: 'statistics.requests',
    section: '5.6',
    modes: ADDRESSED,
    title: 'counts the requests of a circuit in the live database, and notes the last',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      for (let times = 0; times < 3; times += 1)
        expectStatus(await bench.request(circuit, 'GET', '/counted'), 200);
      const deadline = Date.now() + WAIT_MS;
      const read = () =>
        bench.session.live.mget(`circuit.${idOf(circuit)}.requests`, `circuit.${idOf(circuit)}.last_access`);
      let [requests, lastAccess] = await read();
      while (requests !== '3' && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        [requests, lastAccess] = await read();
      }
      insist(requests === '3', `three requests count as ${requests ?? 'none'}`);
      insist(
        Math.abs(Number(lastAccess) - Date.now() / 1_000) < 60,
        `last_access is ${lastAccess ?? 'absent'}`,
      );
    },
    mutation: answers('fails them', 'GET /counted', (exchange) => {
      exchange.status = 503;
    }),
  },
];
