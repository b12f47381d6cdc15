import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ConformanceReport, runWorkerSuite, workerCheckList } from '@penstock/conformance';
import { testRedisUrl } from '@penstock/testkit';
import { CONFORMANCE_SECRETS, startConformanceTarget } from '../support/conformance-target.js';
import type { TestRouter } from '../support/test-router.js';

/** Starts a router at the kit's coordinator and stops it when the kit says so. */
async function checkRouter(mode: 'wildcard' | 'router'): Promise<ConformanceReport> {
  let starting: Promise<TestRouter> | undefined;
  return runWorkerSuite({
    ...CONFORMANCE_SECRETS,
    listen: '127.0.0.1:0',
    redisUrl: testRedisUrl(),
    trafficHost: '127.0.0.1',
    waitMs: 30_000,
    onListening: (url) => {
      starting = startConformanceTarget(mode, url);
    },
    stopWorker: async () => (await starting)?.stop(),
  });
}

describe.each(['wildcard', 'router'] as const)(
  'the conformance suite against a router in %s mode',
  (mode) => {
    let report: ConformanceReport;

    beforeAll(async () => {
      report = await checkRouter(mode);
    }, 60_000);

    it.each(workerCheckList(undefined, mode))('$section $id: $title', ({ id }) => {
      expect(report.checks.find((check) => check.id === id)).toMatchObject({ status: 'passed', detail: '' });
    });
  },
);
