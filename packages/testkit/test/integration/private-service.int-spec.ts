import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ThrowawayService } from '@penstock/backing-services';
import { startPrivatePostgres, startPrivateRedis, testPostgresUrl, testRedisUrl } from '../../src/index.js';
import { Redis } from 'ioredis';
import { Client } from 'pg';

describe('shared servers', () => {
  it('answer queries', async () => {
    const client = new Client(testPostgresUrl());
    await client.connect();
    const { rows } = await client.query<{ one: number }>('SELECT 1 AS one');
    await client.end();
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('take commands', async () => {
    const redis = new Redis(testRedisUrl());
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });
});

describe('a private PostgreSQL', () => {
  let server: ThrowawayService;
  beforeAll(async () => {
    server = await startPrivatePostgres();
  });
  afterAll(() => server.dispose());

  it('keeps its data and its address over stop and start', async () => {
    await query(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await server.stop();
    await expect(query(server.url, 'SELECT 1')).rejects.toThrow();
    await server.start();
    expect(await query(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });
});

describe('a private Redis', () => {
  let server: ThrowawayService;
  beforeAll(async () => {
    server = await startPrivateRedis();
  });
  afterAll(() => server.dispose());

  it('comes back at its address with a new process', async () => {
    const before = server.pid;
    await server.stop();
    await server.start();
    const redis = new Redis(server.url);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
    expect(server.pid).not.toBe(before);
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
