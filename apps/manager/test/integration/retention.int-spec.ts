import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { PruneRecordsService } from '../../src/features/retention/index.js';
import { Database } from '../../src/features/storage/index.js';
import type { ApiClient } from '../support/api-client.js';
import { makeDeployment, makeProject } from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

const RETENTION = { audit_days: 10, tombstone_days: 5, expired_token_days: 1 };
const DAY_MS = 86_400_000;

describe('old records', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  const database = () => harness.get(Database);
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
  const prune = () => harness.get(PruneRecordsService).prune();
  const audit = (id: string) =>
    database().read((db) => db.auditLog.findMany({ where: { target_id: id }, orderBy: { id: 'asc' } }));

  beforeAll(async () => {
    harness = await ManagerHarness.start({ config: { retention: RETENTION } });
    admin = harness.admin();
  });
  afterAll(() => harness.dispose());

  it('go when they are older than the operator keeps them, and not before', async () => {
    const projectId = await makeProject(admin);
    const deployment = await makeDeployment(admin, projectId);
    await admin.patch(`/api/v1/deployments/${deployment.id}`, { served_model: 'm' });
    const [old, recent] = await audit(deployment.id);
    const tokens = `/api/v1/deployments/${deployment.id}/tokens`;
    for (let count = 0; count < 2; count += 1) await admin.post(tokens);
    const [expired] = await database().read((db) =>
      db.deploymentToken.findMany({ where: { deployment_id: deployment.id } }),
    );
    await database().read(async (db) => {
      await db.auditLog.update({ where: { id: old?.id ?? '' }, data: { created_at: ago(11) } });
      await db.auditLog.update({ where: { id: recent?.id ?? '' }, data: { created_at: ago(9) } });
      await db.deploymentToken.update({ where: { id: expired?.id ?? '' }, data: { expires_at: ago(2) } });
    });
    await prune();
    const left = await audit(deployment.id);
    expect(left.map(({ id }) => id)).not.toContain(old?.id);
    expect(left.map(({ id }) => id)).toContain(recent?.id);
    expect((await admin.get(tokens)).body).toMatchObject({ items: [expect.any(Object)] });
  });

  it('stay while the coordinator still has to hear of them', async () => {
    const row = { authority: harness.authority, kind: 'deployment', domain: null, project_id: null };
    const [done, owed] = ['done', 'owed'];
    await database().read(async (db) => {
      for (const entity_key of [done, owed]) {
        await db.tombstone.create({ data: { ...row, entity_key, removed_at: ago(6) } });
      }
      const later = ago(-1);
      await db.$executeRaw`
        INSERT INTO outbox_entries (authority, kind, entity_key, version, next_attempt_at)
        VALUES (${row.authority}, ${row.kind}, ${owed}, 1, ${later})`;
    });
    await prune();
    const left = await database().read((db) =>
      db.tombstone.findMany({ where: { removed_at: { lt: ago(5) } } }),
    );
    expect(left.map(({ entity_key }) => entity_key)).toEqual([owed]);
  });

  it('are kept for ever where nothing else is configured', async () => {
    await harness.stopManager();
    await harness.startManager();
    const [row] = await database().read((db) => db.auditLog.findMany({ take: 1 }));
    await database().read((db) =>
      db.auditLog.update({ where: { id: row?.id ?? '' }, data: { created_at: ago(9_000) } }),
    );
    await prune();
    expect(await database().read((db) => db.auditLog.count({ where: { id: row?.id ?? '' } }))).toBe(1);
  });
});
