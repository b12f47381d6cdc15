import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplica, type RunningReplica } from '@penstock/replica-simulator';
import { eventually } from '@penstock/testkit';

import { EarlierRelease, hasRelease } from '../support/earlier-release.ts';
import { call } from '../support/http.ts';
import { ManagerApi } from '../support/manager-api.ts';
import { addressOf } from '../support/replica-admin.ts';
import { readFacts, restoreDatabases } from '../support/restore-databases.ts';
import { RouterApi } from '../support/router-api.ts';
import { Stack } from '../support/stack.ts';

const RELEASE = 'v0.1';
const facts = readFacts(RELEASE);

let replica: RunningReplica;
let stack: Stack;

beforeAll(async () => {
  replica = await startReplica({ model: 'upgrade-model' });
  stack = await Stack.start(['--no-demo', '--routers', '1']);
}, 300_000);
afterAll(async () => {
  await stack.remove();
  await replica.stop();
}, 120_000);

const router = () => new RouterApi(stack.info.routers[0] ?? { base_url: '', admin_url: '' });
const serves = (model: string) =>
  eventually(async () => expect((await router().chat(facts.key, model)).status).toBe(200), {
    timeoutMs: 30_000,
  });
const changeAliases = (...aliases: string[]) =>
  new ManagerApi(stack.info).changePublication(facts.publication_id, { aliases });

describe('databases of release 0.1', () => {
  it('are migrated and served while the routers keep running', async () => {
    await stack.stopService('manager');
    await stack.stopService('coordinator');
    await restoreDatabases(stack, RELEASE, addressOf(replica).port);
    await stack.startService('coordinator');
    await stack.startService('manager');
    await serves(facts.model);
    await serves(facts.alias);
  }, 120_000);

  it('bring their keys: the active one serves, the revoked one does not', async () => {
    expect((await router().chat(facts.revoked_key, facts.model)).status).toBe(401);
    expect(await router().listModels(facts.key)).toEqual([facts.alias, facts.model].sort());
  });

  it('bring the change that had not reached the coordinator', async () => {
    const manager = new ManagerApi(stack.info);
    const { id } = await manager.issueKey(facts.project_id, [facts.pending_alias]);
    const key = (await manager.rotateKey(id)).key;
    await eventually(async () => expect((await router().chat(key, facts.pending_alias)).status).toBe(200));
  });

  it('bring their people, and deployments as they were', async () => {
    const headers = { authorization: `Bearer ${facts.user_token}` };
    const url = `${stack.info.manager_url}/api/v1/deployments/${facts.deployment_id}`;
    const answer = await call<Record<string, unknown>>(url, { headers });
    expect(answer.json).toMatchObject({ id: facts.deployment_id, name: 'chat-a' });
  });

  it('take changes', async () => {
    await changeAliases(facts.alias, facts.pending_alias, 'after-upgrade');
    const { key } = await new ManagerApi(stack.info).issueKey(facts.project_id, ['after-upgrade']);
    await eventually(async () => expect((await router().chat(key, 'after-upgrade')).status).toBe(200));
  });
});

const rollback = hasRelease(RELEASE) ? describe : describe.skip;
if (!hasRelease(RELEASE))
  process.stderr.write(`e2e: the rollback is not tested, for tag ${RELEASE} is not in this clone\n`);

rollback('services of release 0.1 on the newer schema', () => {
  let release: EarlierRelease;

  beforeAll(async () => {
    release = EarlierRelease.unpack(RELEASE);
    await stack.down();
    stack = await Stack.start(['--no-demo', '--routers', '1'], stack.dataDir, release.frontDoor);
  }, 300_000);
  afterAll(() => release.remove());

  it('serve, change and revoke', async () => {
    await serves(facts.model);
    await changeAliases(facts.alias, 'after-rollback');
    const manager = new ManagerApi(stack.info);
    const { id, key } = await manager.issueKey(facts.project_id, ['after-rollback']);
    await eventually(async () => expect((await router().chat(key, 'after-rollback')).status).toBe(200));
    expect((await manager.revokeKeyStrictly(id)).strict.confirmed).toBe(true);
  }, 120_000);

  it('hand over to the current ones again', async () => {
    await stack.down();
    stack = await Stack.start(['--no-demo', '--routers', '1'], stack.dataDir);
    await serves(facts.model);
  }, 300_000);
});
