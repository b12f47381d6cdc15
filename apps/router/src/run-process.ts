import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { NestFactory } from '@nestjs/core';
import type { ConfigSource } from '@penstock/config';
import { createLogger, createMetrics, type Logger } from '@penstock/observability';
import { AppModule } from './app.module.js';
import { LiveSettings } from './config/live-settings.js';
import type { RouterConfig } from './config/router.config.js';
import { claimSlot, RouterLifecycle, type BoundAddresses } from './features/lifecycle/index.js';
import type { ProcessContext } from './process-context.js';
import { softwareVersion } from './version.js';

/** A router process that listens. */
export interface RunningProcess {
  readonly logger: Logger;
  readonly addresses: BoundAddresses;
  /** Reads the configuration again and tells the log what came of it. */
  reload(): void;
  /** Drains, leaves the fleet and closes everything. */
  stop(): Promise<void>;
  /** The same for a worker whose primary is gone. */
  abandon(): Promise<void>;
}

/**
 * Builds and starts one router process.
 * @throws StartupError when the operator has to change something first
 */
export async function runProcess(
  source: ConfigSource<RouterConfig>,
  workerIndex: number,
): Promise<RunningProcess> {
  const settings = new LiveSettings(source);
  const context = createContext(settings, workerIndex);
  const { logger } = context;
  settings.onChange((current) => (logger.level = current.log_level));
  const app = await NestFactory.createApplicationContext(AppModule.forProcess(context), {
    logger: false,
    abortOnError: false,
  });
  const lifecycle = app.get(RouterLifecycle);
  const addresses = await lifecycle.start();
  return {
    logger,
    addresses,
    reload: () => reload(settings, logger),
    stop: async () => {
      await lifecycle.shutdown();
      await app.close();
    },
    abandon: async () => {
      logger.warn('the primary process is gone, draining');
      await lifecycle.abandon();
      await app.close();
    },
  };
}

function createContext(settings: LiveSettings, workerIndex: number): ProcessContext {
  const { data_dir: dataDir, authority, log_level: level } = settings.current;
  const slot = claimSlot(dataDir, authority, hostname());
  const nodeId = randomUUID();
  const logger = createLogger({ service: 'router', level }).child({ slot: slot.name, boot_id: nodeId });
  const metrics = createMetrics({ service: 'router' });
  return { settings, workerIndex, nodeId, version: softwareVersion(), slot, logger, metrics };
}

function reload(settings: LiveSettings, logger: Logger): void {
  const outcome = settings.reload();
  if (!outcome.ok) {
    logger.error({ problems: outcome.problems }, 'configuration not reloaded, keeping the running one');
    return;
  }
  const { applied, needRestart } = outcome;
  logger.info({ applied, need_restart: needRestart }, 'configuration reloaded');
}
