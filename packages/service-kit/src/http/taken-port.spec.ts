import { createServer } from 'node:net';

import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { createLogger, createMetrics } from '@penstock/observability';

import { explainStartError } from '../process/explain-start-error.js';
import { createHttpService } from './create-http-service.js';

@Module({})
class EmptyModule {}

describe('a port that is taken', () => {
  it('fails the start with an error that names the port', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const logger = createLogger({ service: 'test', level: 'silent' });
    const metrics = createMetrics({ service: 'test', processMetrics: false });
    const app = await createHttpService(EmptyModule, { logger, metrics, errors: 'problem' });
    try {
      const error: unknown = await app.listen(port, '127.0.0.1').catch((reason: unknown) => reason);
      expect(explainStartError(error)).toContain(`127.0.0.1 port ${port} is already in use`);
    } finally {
      await app.close();
      other.close();
    }
  });
});
