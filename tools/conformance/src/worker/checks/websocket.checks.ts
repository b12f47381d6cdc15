import { insist } from '../../checking/expect.js';
import type { Mutation } from '../../mutation/mutation.js';
import { ADDRESSED, type WorkerCheck } from '../worker-check.js';

const common = { section: '5.6', modes: ADDRESSED, deadlineMs: 8_000 } as const;

function upgrades(fault: string, path: string, what: 'refused' | 'mute'): Mutation {
  return { fault, rewriter: () => ({ upgrade: (asked) => (asked === path ? what : undefined) }) };
}

export const WEBSOCKET_CHECKS: readonly WorkerCheck[] = [
  {
    ...common,
    id: 'websocket.echo',
    title: 'passes texts of a WebSocket on, both ways',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const socket = await bench.webSocket(circuit, '/echo');
      insist(socket.status === 101, `the upgrade is answered ${socket.status}`);
      socket.say('hi');
      const text = await socket.text();
      insist(text === 'echo:hi', `${text} came back`);
    },
    mutation: upgrades('loses what the replica says', '/echo', 'mute'),
  },
  {
    ...common,
    id: 'websocket.subprotocol',
    title: 'settles the first subprotocol',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const socket = await bench.webSocket(circuit, '/subprotocol', {
        'Sec-WebSocket-Protocol': 'chat.v1, chat.v0',
      });
      const chosen = socket.header('sec-websocket-protocol');
      insist(chosen === 'chat.v1', `the subprotocol is ${chosen ?? 'none'}`);
    },
    mutation: upgrades('refuses', '/subprotocol', 'refused'),
  },
  {
    ...common,
    id: 'websocket.headers',
    title: 'passes headers of the client on with the upgrade',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const socket = await bench.webSocket(circuit, '/headers', { 'X-Note': 'kept' });
      socket.say('headers');
      const text = await socket.text();
      insist(text === 'x-note:kept', `the replica saw ${text}`);
    },
    mutation: upgrades('drops them all', '/headers', 'mute'),
  },
  {
    ...common,
    id: 'websocket.replica-closes',
    title: 'passes a close of the replica on with its code',
    run: async (bench) => {
      const { circuit } = await bench.serving();
      const socket = await bench.webSocket(circuit, '/closing');
      socket.say('close');
      const code = await socket.closed();
      insist(code === 4_001, `the code is ${code}`);
    },
    mutation: upgrades('keeps it to itself', '/closing', 'mute'),
  },
  {
    ...common,
    id: 'websocket.client-closes',
    title: 'passes a close of the client on with its code',
    run: async (bench) => {
      const { circuit, replica } = await bench.serving();
      const socket = await bench.webSocket(circuit, '/leaving');
      socket.close(4_002);
      const code = await socket.closed();
      insist(code === 4_002, `the answer to the close is ${code}`);
      insist(replica.closeCodes.includes(4_002), `the replica saw ${replica.closeCodes.join()}`);
    },
    mutation: upgrades('does not answer', '/leaving', 'mute'),
  },
  {
    ...common,
    id: 'websocket.no-token',
    section: '5.2',
    title: 'asks for a token before the upgrade',
    run: async (bench) => {
      const circuit = await bench.circuit({}, [await bench.replica()]);
      const socket = await bench.webSocket(circuit, '/no-token');
      insist(socket.status === 401, `the upgrade is answered ${socket.status}`);
    },
    mutation: upgrades('refuses for another reason', '/no-token', 'refused'),
  },
];
