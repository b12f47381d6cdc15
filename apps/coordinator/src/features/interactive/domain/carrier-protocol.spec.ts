import { describe, expect, it } from '@jest/globals';

import { carrierOf } from './carrier-protocol.js';

describe('carrierOf', () => {
  it.each([
    ['http', 'http'],
    ['preopen', 'http'],
    ['tcp', 'tcp'],
    ['vnc', 'tcp'],
    ['rdp', 'tcp'],
    ['grpc', 'grpc'],
    ['h2', 'h2'],
  ] as const)('lets %s travel as %s', (protocol, carrier) => {
    expect(carrierOf(protocol)).toBe(carrier);
  });
});
