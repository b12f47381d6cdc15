import { describe, expect, it } from '@jest/globals';

import { isDatabaseUnavailable } from './database-unavailable.js';
import { isSerializationFailure, isUniqueViolation, violatedConstraint } from './postgres-errors.js';

/** The shapes in which Prisma hands on what the driver said, as seen against PostgreSQL 18. */
function prismaError(code: string, cause: object): Error {
  const driverAdapterError = Object.assign(new Error('driver'), { cause });
  return Object.assign(new Error('prisma'), { code, meta: { driverAdapterError } });
}

const duplicate = {
  originalCode: '23505',
  kind: 'UniqueConstraintViolation',
  constraint: { index: 'Thing_name_key' },
};

describe('errors of the database', () => {
  it.each([
    ['a Prisma call', prismaError('P2002', duplicate)],
    ['a raw query through Prisma', prismaError('P2010', duplicate)],
    ['the driver itself', Object.assign(new Error(), { code: '23505' })],
    ['an error that wraps one', new Error('outer', { cause: prismaError('P2002', duplicate) })],
  ])('recognises a unique violation of %s', (_what, error) => {
    expect(isUniqueViolation(error)).toBe(true);
    expect(isSerializationFailure(error)).toBe(false);
    expect(isDatabaseUnavailable(error)).toBe(false);
  });

  it('names the index or the columns that refused a row', () => {
    expect(violatedConstraint(prismaError('P2002', duplicate))).toEqual(['Thing_name_key']);
    expect(violatedConstraint(prismaError('P2002', { constraint: { fields: ['a', 'b'] } }))).toEqual([
      'a',
      'b',
    ]);
    expect(violatedConstraint(new Error())).toEqual([]);
  });

  it.each([
    ['a write conflict', prismaError('P2034', { originalCode: '40001', kind: 'TransactionWriteConflict' })],
    ['a deadlock in a raw query', prismaError('P2010', { originalCode: '40P01' })],
  ])('calls %s worth another attempt', (_what, error) => {
    expect(isSerializationFailure(error)).toBe(true);
  });

  it.each([
    ['refused', prismaError('P2010', { kind: 'DatabaseNotReachable' })],
    ['stopping', prismaError('P2010', { originalCode: '57P01', kind: 'postgres' })],
    ['cancelled by its time limit', prismaError('P2010', { originalCode: '57014' })],
    ['out of connections in the pool', Object.assign(new Error(), { code: 'P2024' })],
    ['swallowed by the network', new Error('Connection terminated unexpectedly')],
    ['refused at every address', new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })])],
    [
      'refused at the last address',
      new AggregateError([new Error('bad address'), Object.assign(new Error(), { code: 'EHOSTUNREACH' })]),
    ],
    ['dropped in the words of the driver', prismaError('P2010', { originalMessage: 'query read timeout' })],
    ['late for a transaction', Object.assign(new Error(), { code: 'P2028' })],
    ['one connection too many', prismaError('P2010', { originalCode: '53300' })],
    ['refused by the socket', Object.assign(new Error(), { code: 'ECONNREFUSED' })],
  ])('calls the database unavailable when a call was %s', (_what, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('survives errors that go round in circles and things that are no errors', () => {
    const loop: { cause?: unknown } = {};
    loop.cause = loop;
    for (const value of [loop, null, undefined, 'text', 7]) {
      expect([isUniqueViolation(value), isSerializationFailure(value), isDatabaseUnavailable(value)]).toEqual(
        [false, false, false],
      );
    }
  });
});
