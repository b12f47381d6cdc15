import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Proof, provePortChecks, proveWorkerChecks, workerCheckList } from '@penstock/conformance';
import { testRedisUrl } from '@penstock/testkit';
import { CONFORMANCE_SECRETS, startConformanceTarget } from '../support/conformance-target.js';

const MODES = ['wildcard', 'router'] as const;

function prove(mode: (typeof MODES)[number]): Promise<readonly Proof[]> {
  return proveWorkerChecks({
    ...CONFORMANCE_SECRETS,
    mode,
    redisUrl: testRedisUrl(),
    start: async (coordinatorUrl) => {
      const router = await startConformanceTarget(mode, coordinatorUrl);
      let stopped: Promise<void> | undefined;
      return { trafficUrl: router.publicUrl, stop: () => (stopped ??= router.stop()) };
    },
  });
}

let proofs: Map<string, readonly Proof[]>;

beforeAll(async () => {
  proofs = new Map(await Promise.all(MODES.map(async (mode) => [mode, await prove(mode)] as const)));
}, 120_000);

describe.each(MODES)('a router in %s mode with one fault', (mode) => {
  it.each(workerCheckList(undefined, mode))('is found out by $id and by no other check', ({ id }) => {
    expect(proofs.get(mode)?.find((proof) => proof.id === id)?.found).toEqual([id]);
  });
});

describe('a port worker with one fault', () => {
  const ofOurs = new Set(MODES.flatMap((mode) => workerCheckList(undefined, mode)).map(({ id }) => id));
  const ofPorts = workerCheckList(undefined, 'port').filter(({ id }) => !ofOurs.has(id));

  it('is found out by every check that no router is held to', async () => {
    const proofs = await provePortChecks({ ...CONFORMANCE_SECRETS, redisUrl: testRedisUrl() });
    expect(proofs.map(({ found }) => found)).toEqual(ofPorts.map(({ id }) => [id]));
  });
});
