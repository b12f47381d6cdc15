import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '@penstock/testkit';

import { ReconcileScheduler } from '../../src/features/reconcile/index.js';
import { Database } from '../../src/features/storage/index.js';
import { RotationScheduler } from '../../src/features/upstream-bindings/index.js';
import type { AnyBody, ApiClient } from '../support/api-client.js';
import {
  bind,
  type BoundUpstream,
  type Deployment,
  type Environment,
  makeDeployment,
  makeProject,
  makeUser,
  type Page,
  type Problem,
} from '../support/builders.js';
import { ENCRYPTION_KEY, ManagerHarness } from '../support/manager-harness.js';

const ALL_BUT_THE_CLOCK = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

describe('the token of an upstream', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;
  let directory: string;
  let upstream: Deployment;
  let downstream: Deployment;
  const config = () => ({ service_environment: { directory } });
  const rounds = () => harness.get(RotationScheduler).runOnce();
  const pathOf = (part: string) => `/api/v1/deployments/${downstream.id}/${part}`;
  const environment = async (client = admin) =>
    (await client.get<Environment>(pathOf('service-environment'))).body;
  const file = () => join(directory, downstream.id, 'BACKENDAI_UPSTREAM_TOKEN');
  const minted = () =>
    harness.coordinator.minted
      .filter(({ endpointId }) => endpointId === upstream.id)
      .map(({ token }) => token);
  const edit = (data: AnyBody) =>
    harness
      .get(Database)
      .read((db) => db.upstreamBinding.update({ where: { deployment_id: downstream.id }, data }));
  const makeDue = () => edit({ next_rotation_at: new Date(0) });
  const metric = async (line: string) => {
    const text = await (await fetch(`${harness.url}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((one) => one.startsWith(line))
        ?.split(' ')
        .at(-1),
    );
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'penstock-environment-'));
    harness = await ManagerHarness.start({ config: config() });
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  beforeEach(async () => {
    upstream = await makeDeployment(admin, projectId, { replicas: [], visibility: 'internal' });
    downstream = await makeDeployment(admin, projectId, { replicas: [] });
    await bind(admin, downstream.id, upstream.id, { rotation_interval_s: 3_600 });
  });
  afterEach(() => harness.coordinator.clearRules());
  afterAll(async () => {
    await harness.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  it('reaches the owner through the API and through a file, the same in both', async () => {
    const { variables, issued_at, expires_at, next_rotation_at } = await environment();
    expect(variables).toEqual({
      BACKENDAI_UPSTREAM_URL: upstream.url,
      BACKENDAI_UPSTREAM_TOKEN: minted()[0],
      BACKENDAI_UPSTREAM_TOKEN_FILE: file(),
    });
    expect(await readFile(file(), 'utf8')).toBe(minted()[0]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect([issued_at, expires_at, next_rotation_at]).toEqual(Array(3).fill(expect.any(String)));
  });

  it('is for the owner of the downstream and nobody else', async () => {
    const owner = await makeUser(admin, { projectId, role: 'member' });
    const chief = await makeUser(admin, { projectId, role: 'admin' });
    const outsider = await makeUser(admin);
    downstream = await makeDeployment(harness.as(owner.token), projectId, {
      replicas: [],
      upstream_deployment_id: upstream.id,
    });
    const asked = async (client: ApiClient) => client.get<Problem>(pathOf('service-environment'));
    const answer = await asked(harness.as(owner.token));
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    for (const client of [admin, harness.as(chief.token)]) {
      const refused = await asked(client);
      expect(refused.body).toMatchObject({ status: 403, code: 'auth.forbidden' });
    }
    expect((await asked(harness.as(outsider.token))).status).toBe(404);
  });

  it('is minted for the owner of the downstream, whoever binds', async () => {
    const owner = await makeUser(admin, { projectId, role: 'member' });
    const made = await makeDeployment(harness.as(owner.token), projectId, { replicas: [] });
    await bind(admin, made.id, upstream.id);
    const [, claims = ''] = (minted().at(-1) ?? '').split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'))).toMatchObject({ user: owner.id });
  });

  it('is replaced when it is due, in the file too, with a row in the audit log', async () => {
    await rounds();
    expect(minted()).toHaveLength(1);
    await makeDue();
    await rounds();
    expect(minted()).toHaveLength(2);
    const { variables, expires_at } = await environment();
    expect(variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[1]);
    expect(await readFile(file(), 'utf8')).toBe(minted()[1]);
    const logs = await admin.get<Page<AnyBody>>(
      `/api/v1/audit-logs?target_id=${downstream.id}&action=deployment.rotate`,
    );
    expect(logs.body.items).toEqual([
      expect.objectContaining({
        actor_name: 'system',
        changes: expect.objectContaining({ upstream_deployment_id: upstream.id, expires_at }),
      }),
    ]);
  });

  it('is rotated by exactly one of several managers, and lies in the folder of each', async () => {
    const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'penstock-environment-'))));
    const others = await Promise.all(
      folders.map((folder) => harness.startAnother({ service_environment: { directory: folder } })),
    );
    const schedulers = [
      harness.get(RotationScheduler),
      ...others.map(({ app }) => app.get(RotationScheduler)),
    ];
    for (let rotation = 1; rotation <= 5; rotation += 1) {
      await makeDue();
      await Promise.all(schedulers.map((scheduler) => scheduler.runOnce()));
      expect(minted()).toHaveLength(1 + rotation);
    }
    await Promise.all(schedulers.map((scheduler) => scheduler.runOnce()));
    for (const folder of folders) {
      expect(await readFile(join(folder, downstream.id, 'BACKENDAI_UPSTREAM_TOKEN'), 'utf8')).toBe(
        minted().at(-1),
      );
    }
    await admin.delete(pathOf('upstream'));
    await Promise.all(schedulers.map((scheduler) => scheduler.runOnce()));
    for (const folder of folders) expect(await readdir(folder)).not.toContain(downstream.id);
    await Promise.all(others.map((other) => other.stop()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  it('stays as it is while the coordinator is away, and is replaced after its return', async () => {
    await makeDue();
    await harness.coordinator.stop();
    await rounds();
    expect((await environment()).variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[0]);
    const { body } = await admin.get<BoundUpstream>(pathOf('upstream'));
    expect(body).toMatchObject({ failed_attempts: 1, last_error: expect.stringContaining('/token') });
    expect(Date.parse(body.next_rotation_at)).toBeGreaterThan(Date.now() - 1_000);
    await harness.coordinator.start();
    await makeDue();
    await rounds();
    expect(minted()).toHaveLength(2);
    const after = await admin.get<BoundUpstream>(pathOf('upstream'));
    expect(after.body).toMatchObject({ failed_attempts: 0, last_error: null, token_state: 'current' });
  });

  it('is minted anew when its upstream has another circuit, as after a loss of the coordinator', async () => {
    const reconcile = async () => {
      await harness.get(ReconcileScheduler).runOnce();
      await rounds();
    };
    await reconcile();
    expect(minted()).toHaveLength(1);
    harness.coordinator.circuitIds.set(upstream.id, '00000000-0000-4000-8000-000000000001');
    await reconcile();
    await reconcile();
    expect(minted()).toHaveLength(2);
    expect((await environment()).variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[1]);
  });

  it('is minted anew when it was damaged in the database', async () => {
    await edit({ token_ciphertext: new Uint8Array(64) });
    expect(await environment()).toMatchObject({ code: 'upstream.token_pending' });
    await harness.get(ReconcileScheduler).runOnce();
    await rounds();
    expect((await environment()).variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[1]);
  });

  /** Otherwise each would find the other's token unreadable in every round, for ever. */
  it('is not minted in turns by managers whose keys differ', async () => {
    const other = await harness.startAnother({ encryption_key: 'a-key-that-only-one-manager-has-0003' });
    for (let round = 0; round < 3; round += 1) {
      await other.app.get(RotationScheduler).runOnce();
      await rounds();
    }
    await other.stop();
    expect(minted()).toHaveLength(1);
  });

  it('is rotated once when it is due, though the clock of the manager is behind', async () => {
    await makeDue();
    jest.useFakeTimers({ now: Date.now() - 7_200_000, doNotFake: [...ALL_BUT_THE_CLOCK] });
    await rounds();
    await rounds();
    jest.useRealTimers();
    expect(minted()).toHaveLength(2);
  });

  it('is rotated by the timer alone', async () => {
    const other = await harness.startAnother({ upstream_token: { rotation_check_interval_ms: 50 } });
    await makeDue();
    await eventually(() => expect(minted()).toHaveLength(2));
    await other.stop();
  });

  it('raises a warning once and a metric when it nears its end', async () => {
    const soon = new Date(Date.now() + 20_000);
    await edit({ expires_at: soon, next_rotation_at: soon });
    const warnings = () =>
      harness.logLines.filter((line) => line.includes('nears its end') && line.includes(downstream.id));
    await rounds();
    await rounds();
    expect(warnings()).toHaveLength(1);
    expect(await metric('penstock_manager_upstream_tokens{state="expiring"')).toBe(1);
    await edit({ expires_at: new Date(0) });
    const expired = await admin.get<Problem>(pathOf('service-environment'));
    expect(expired.body).toMatchObject({ status: 503, code: 'upstream.token_pending' });
  });

  it('is readable after a change of the key, and minted anew when no key opens it', async () => {
    const key = 'another-encryption-key-for-tests-0002';
    await harness.stopManager();
    await harness.startManager({ ...config(), encryption_key: key, previous_encryption_key: ENCRYPTION_KEY });
    await rounds();
    expect((await environment()).variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[0]);
    expect(minted()).toHaveLength(1);
    await harness.stopManager();
    await harness.startManager({ ...config(), encryption_key: key });
    expect(await environment()).toMatchObject({ code: 'upstream.token_pending' });
    await edit({ issued_at: new Date(Date.now() - 60_000) });
    await rounds();
    expect((await environment()).variables.BACKENDAI_UPSTREAM_TOKEN).toBe(minted()[1]);
    await harness.stopManager();
    await harness.startManager(config());
  });

  it('leaves no file behind when the binding or the deployment goes, even if the process ended between', async () => {
    const second = await makeDeployment(admin, projectId, {
      replicas: [],
      upstream_deployment_id: upstream.id,
    });
    await admin.delete(pathOf('upstream'));
    await admin.delete(`/api/v1/deployments/${second.id}`);
    const left = await readdir(directory);
    expect(left).not.toContain(downstream.id);
    expect(left).not.toContain(second.id);
    await bind(admin, downstream.id, upstream.id);
    await harness.stopManager();
    await harness.startManager();
    await admin.delete(pathOf('upstream'));
    expect(await readdir(directory)).toContain(downstream.id);
    await harness.stopManager();
    await harness.startManager(config());
    await rounds();
    expect(await readdir(directory)).not.toContain(downstream.id);
  });

  it('is not what a rotation brings that was overtaken by another binding', async () => {
    let release = () => {};
    await makeDue();
    harness.coordinator.delay(new Promise<void>((resolve) => (release = resolve)));
    const rotating = rounds();
    await eventually(() =>
      expect(harness.coordinator.requestsTo(/\/token$/).length).toBeGreaterThan(minted().length),
    );
    const unbinding = admin.delete(pathOf('upstream'));
    await eventually(async () => expect((await admin.get(pathOf('upstream'))).status).toBe(404));
    release();
    harness.coordinator.delay(null);
    await Promise.all([rotating, unbinding]);
    expect((await environment()).variables).toEqual({});
    expect(await readdir(directory)).not.toContain(downstream.id);
  });
});
