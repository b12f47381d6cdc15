import { describe, expect, it } from '@jest/globals';
import { isRetryableStatus, mayRetry, signalOfFailure, signalOfStatus } from './retry-decision.js';

const FRESH = { contentSent: false, bodyHeld: true, attempts: 1, maxAttempts: 3 };

describe('mayRetry', () => {
  it.each([
    ['before content has gone out', {}, true],
    ['never after content has gone out', { contentSent: true }, false],
    ['not without the body', { bodyHeld: false }, false],
    ['not beyond the budget', { attempts: 3 }, false],
    ['not with a budget of one', { attempts: 1, maxAttempts: 1 }, false],
    ['while nobody has been reached', { attempts: 0, maxAttempts: 1 }, true],
  ])('%s', (_when, change, expected) => {
    expect(mayRetry({ ...FRESH, ...change })).toBe(expected);
  });
});

describe('a status', () => {
  it.each([
    [200, false, 'success'],
    [400, false, 'success'],
    [404, false, 'success'],
    [422, false, 'success'],
    [429, true, 'neutral'],
    [500, true, 'failure'],
    [502, true, 'failure'],
    [503, true, 'failure'],
    [504, true, 'failure'],
  ] as const)('%d: tried elsewhere %s, health %s', (status, retry, signal) => {
    expect(isRetryableStatus(status)).toBe(retry);
    expect(signalOfStatus(status)).toBe(signal);
  });
});

describe('a failure', () => {
  it.each([
    ['connect', 'unreachable'],
    ['forbidden_address', 'unreachable'],
    ['reset', 'failure'],
    ['headers_timeout', 'failure'],
    ['idle_timeout', 'failure'],
    ['malformed', 'failure'],
  ] as const)('%s counts as %s', (failure, signal) => {
    expect(signalOfFailure(failure)).toBe(signal);
  });
});
