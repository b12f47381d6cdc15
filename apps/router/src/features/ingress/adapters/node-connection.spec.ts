import { describe, expect, it } from '@jest/globals';
import { NodeConnection } from './node-connection.js';

/** Begins requests on one connection and says which were begun. */
function connectionWith() {
  const connection = new NodeConnection();
  const begun: string[] = [];
  return { connection, begun, send: (name: string) => connection.enqueue(() => begun.push(name)) };
}

describe('a client connection', () => {
  it('begins one request at a time', async () => {
    const { connection, begun, send } = connectionWith();
    send('first');
    send('second');
    expect(begun).toEqual(['first']);
    expect(connection.release(false)).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(['first', 'second']);
  });

  it.each(['before', 'after'])('begins nothing that came %s the end of its last answer', (moment) => {
    const { connection, begun, send } = connectionWith();
    send('last');
    if (moment === 'before') send('late');
    expect(connection.release(true)).toBe(false);
    if (moment === 'after') expect(send('late')).toBe(true);
    expect(begun).toEqual(['last']);
    expect(connection.broken).toBe(true);
  });

  it('begins nothing once its bytes make no sense', () => {
    const { connection, begun, send } = connectionWith();
    connection.broken = true;
    send('any');
    expect([begun, connection.busy]).toEqual([[], false]);
  });

  it('turns away who sends too much ahead', () => {
    const { send } = connectionWith();
    const taken = Array.from({ length: 66 }, (_, index) => send(String(index)));
    expect(taken.filter((one) => !one)).toHaveLength(1);
  });
});
