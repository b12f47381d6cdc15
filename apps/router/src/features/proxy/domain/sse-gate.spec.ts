import { describe, expect, it } from '@jest/globals';
import { eventEnds, findBoundary, onlyComments } from './sse-boundary.js';
import { SseGate } from './sse-gate.js';

const NONE = Buffer.alloc(0);
const PASS = { apply: (events: Buffer) => events };

function lastingMs(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

describe('event boundaries', () => {
  it.each([
    ['data: 1\n\n', 9],
    ['data: 1\n\ndata: 2', 9],
    ['data: 1\r\n\r\n', 11],
    ['data: 1\r\rdata: 2\r', 9],
    ['data: 1\n\r\n', 10],
    ['data: 1\ndata: 2\n', 0],
    ['', 0],
    ['\n', 0],
    ['\n\n', 2],
  ])('of %j: the last is at %d', (text, boundary) => {
    expect(findBoundary(NONE, Buffer.from(text))).toBe(boundary);
  });

  it('split a run of events wherever lines end in different ways', () => {
    const events = ['a: 1\n\n', 'b: 2\r\nc: 3\r\n\r\n', ': x\r\r', '\nrest'];
    expect(eventEnds(Buffer.from(events.join('')))).toEqual([6, 20, 25, 30]);
  });

  it('are found in time that grows with the bytes alone', () => {
    const lines = Buffer.from('d:\n'.repeat(1_000_000));
    expect(lastingMs(() => expect(findBoundary(NONE, lines)).toBe(0))).toBeLessThan(2_000);
    expect(lastingMs(() => expect(eventEnds(lines)).toHaveLength(1))).toBeLessThan(2_000);
    const comments = Buffer.from(':\n'.repeat(1_000_000));
    expect(lastingMs(() => expect(onlyComments(comments)).toBe(true))).toBeLessThan(2_000);
  });
});

describe('the gate', () => {
  it('holds an event that comes byte by byte without a heap of pieces', () => {
    const gate = new SseGate(PASS);
    const heldBefore = process.memoryUsage().heapUsed;
    for (let count = 0; count < 2_000_000; count += 1) gate.push(Buffer.from('x'));
    expect(process.memoryUsage().heapUsed - heldBefore).toBeLessThan(100 * 1024 * 1024);
    expect(gate.push(Buffer.from('\n\n'))?.length).toBe(2_000_002);
  });

  it('knows whether what went out ends with an event', () => {
    const gate = new SseGate(PASS);
    const piece = Buffer.alloc(3 * 1024 * 1024, 'x');
    expect(gate.push(Buffer.from('data: 1\n\n'))).not.toBeNull();
    expect(gate.push(piece)).toBeNull();
    expect(gate.midEvent).toBe(false);
    expect(gate.push(piece)).not.toBeNull();
    expect(gate.midEvent).toBe(true);
    gate.push(Buffer.from('\n\ndata'));
    expect(gate.midEvent).toBe(false);
  });
});
