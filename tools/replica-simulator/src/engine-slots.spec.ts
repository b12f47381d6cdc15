import { describe, expect, it } from '@jest/globals';

import { EngineSlots } from './engine-slots.js';

describe('EngineSlots', () => {
  it('starts as many as there are slots and the others in order when one leaves', () => {
    const slots = new EngineSlots(1);
    const started: string[] = [];
    for (const name of ['a', 'b', 'c'])
      slots.enter(
        () => started.push(name),
        () => false,
      );
    expect({ started: [...started], running: slots.running, waiting: slots.waiting }).toEqual({
      started: ['a'],
      running: 1,
      waiting: 2,
    });
    slots.leave();
    slots.leave();
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('skips those that left while they waited', () => {
    const slots = new EngineSlots(1);
    const started: string[] = [];
    const enter = (name: string, gone = false): void =>
      slots.enter(
        () => started.push(name),
        () => gone,
      );
    enter('a');
    enter('gone', true);
    enter('c');
    slots.leave();
    expect(started).toEqual(['a', 'c']);
    expect(slots.running).toBe(1);
  });
});
