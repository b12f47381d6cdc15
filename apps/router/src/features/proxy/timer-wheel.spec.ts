import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TimerWheel } from './timer-wheel.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('TimerWheel', () => {
  it.each([1, 25, 100, 12_799, 12_800, 60_000])(
    'fires %d ms later, at most a tick late and once',
    (afterMs) => {
      let fired = 0;
      new TimerWheel().create(() => (fired += 1)).arm(afterMs);
      jest.advanceTimersByTime(afterMs - 1);
      expect(fired).toBe(0);
      jest.advanceTimersByTime(51);
      expect(fired).toBe(1);
      jest.advanceTimersByTime(60_000);
      expect(fired).toBe(1);
    },
  );

  it('moves a deadline outwards and inwards', () => {
    let fired = 0;
    const timer = new TimerWheel().create(() => (fired += 1));
    timer.arm(1_000);
    for (let moved = 0; moved < 20; moved += 1) {
      jest.advanceTimersByTime(500);
      timer.arm(1_000);
    }
    expect(fired).toBe(0);
    timer.arm(50);
    jest.advanceTimersByTime(101);
    expect(fired).toBe(1);
  });

  it('shares one clock, which stops when nothing is armed', () => {
    const wheel = new TimerWheel();
    const timers = Array.from({ length: 1_000 }, () => wheel.create(() => undefined));
    for (const timer of timers) timer.arm(5_000);
    expect(jest.getTimerCount()).toBe(1);
    for (const timer of timers) timer.cancel();
    jest.advanceTimersByTime(50);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not fire what was cancelled, also from within another one', () => {
    const wheel = new TimerWheel();
    const second = wheel.create(() => {
      throw new Error('fired');
    });
    const first = wheel.create(() => second.cancel());
    first.arm(100);
    second.arm(100);
    jest.advanceTimersByTime(1_000);
  });
});
