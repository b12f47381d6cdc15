import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PutModelBody } from '@penstock/protocol';
import { eventually } from '@penstock/testkit';

import type { ApiClient } from '../support/api-client.js';
import {
  issueKey,
  makeDeployment,
  makeProject,
  makePublication,
  type Publication,
  unique,
} from '../support/builders.js';
import { ManagerHarness } from '../support/manager-harness.js';

const DEFERRED = { status: 'deferred', reason: 'coordinator_unavailable' };

describe('the way of a change to the coordinator', () => {
  let harness: ManagerHarness;
  let admin: ApiClient;
  let projectId: string;

  beforeAll(async () => {
    harness = await ManagerHarness.start();
    admin = harness.admin();
    projectId = await makeProject(admin);
  });
  afterAll(() => harness.dispose());
  afterEach(() => harness.coordinator.clearRules());

  it('loses nothing while the coordinator is away, and needs no restart when it returns', async () => {
    const before = await makePublication(admin, projectId);
    const removed = await makePublication(admin, projectId);
    const revoked = await issueKey(admin, projectId, [before.name]);
    await harness.coordinator.stop();
    const deployment = await makeDeployment(admin, projectId);
    const made = await makePublication(admin, projectId, { mappings: [{ deployment_id: deployment.id }] });
    const issued = await issueKey(admin, projectId, [made.name]);
    const changed = await admin.patch<Publication>(`/api/v1/publications/${before.id}`, {
      aliases: [unique('a')],
    });
    await admin.delete(`/api/v1/publications/${removed.id}`);
    await admin.delete(`/api/v1/model-api-keys/${revoked.id}`);
    for (const { propagation } of [deployment, made, issued, changed.body]) {
      expect(propagation).toMatchObject(DEFERRED);
    }
    await harness.coordinator.start();
    await eventually(() => {
      expect(harness.coordinator.routes.has(deployment.id)).toBe(true);
      expect(harness.coordinator.models.get(made.name)?.mappings).toHaveLength(1);
      expect(harness.coordinator.models.get(before.name)?.aliases).toHaveLength(1);
      expect(harness.coordinator.keys.has(issued.id)).toBe(true);
      expect(harness.coordinator.models.has(removed.name)).toBe(false);
      expect(harness.coordinator.keys.has(revoked.id)).toBe(false);
    });
  });

  it('pushes the newest state when several changes waited', async () => {
    const made = await makePublication(admin, projectId);
    await harness.coordinator.stop();
    for (const alias of ['one', 'two', 'three']) {
      await admin.patch(`/api/v1/publications/${made.id}`, { aliases: [`${made.name} ${alias}`] });
    }
    const seen = harness.coordinator.requests.length;
    await harness.coordinator.start();
    await eventually(() =>
      expect(harness.coordinator.models.get(made.name)?.aliases).toEqual([`${made.name} three`]),
    );
    const pushes = harness.coordinator.requests.slice(seen).filter(({ path }) => path.includes(made.name));
    expect(pushes).toHaveLength(1);
  });

  it('survives a restart of the manager between commit and push', async () => {
    await harness.coordinator.stop();
    const made = await makePublication(admin, projectId);
    await harness.stopManager();
    await harness.coordinator.start();
    await harness.startManager();
    await eventually(() => expect(harness.coordinator.models.has(made.name)).toBe(true));
  });

  it('keeps the order of changes of one entity, however many come at once', async () => {
    const made = await makePublication(admin, projectId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        admin.patch<Publication>(`/api/v1/publications/${made.id}`, { policy: { index } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const { body } = await admin.get<Publication>(`/api/v1/publications/${made.id}`);
    await eventually(() => expect(harness.coordinator.models.get(made.name)?.policy).toEqual(body.policy));
  });

  it('lets publications exchange names while the coordinator is away', async () => {
    const [x, y] = [unique('x'), unique('y')];
    const first = await makePublication(admin, projectId, { aliases: [x] });
    const second = await makePublication(admin, projectId, { aliases: [y] });
    const gone = await makePublication(admin, projectId);
    const patch = (id: string, aliases: string[]) => admin.patch(`/api/v1/publications/${id}`, { aliases });
    await harness.coordinator.stop();
    await patch(first.id, []);
    await patch(second.id, [x]);
    await patch(first.id, [y]);
    await admin.delete(`/api/v1/publications/${gone.id}`);
    const heir = await makePublication(admin, projectId, { aliases: [gone.name] });
    await harness.coordinator.start();
    await eventually(() => {
      expect(harness.coordinator.models.get(first.name)?.aliases).toEqual([y]);
      expect(harness.coordinator.models.get(second.name)?.aliases).toEqual([x]);
      expect(harness.coordinator.models.get(heir.name)?.aliases).toEqual([gone.name]);
      expect(harness.coordinator.models.has(gone.name)).toBe(false);
    });
  });

  it("never takes a name from somebody else's publication", async () => {
    const foreign: PutModelBody = { aliases: [unique('theirs')], mappings: [], control_mode: 'manual' };
    const name = unique('foreign');
    harness.coordinator.models.set(name, foreign);
    const made = await makePublication(admin, projectId, { aliases: foreign.aliases });
    expect(made.propagation).toMatchObject({ status: 'deferred', reason: 'coordinator_refused' });
    expect(harness.coordinator.models.get(name)).toEqual(foreign);
    expect(harness.coordinator.models.has(made.name)).toBe(false);
  });

  it('sets aside what the coordinator refuses for good, says so, and goes on with the rest', async () => {
    const name = unique('poison');
    const conflict = {
      status: 409,
      body: { type: 'x', title: 'Model name already published on this authority.', error_code: 'x' },
    };
    harness.coordinator.script(({ path }) => (path.includes(name) ? conflict : undefined));
    const made = await makePublication(admin, projectId, { name });
    expect(made.propagation).toMatchObject({ status: 'deferred', reason: 'coordinator_refused' });
    const other = await makePublication(admin, projectId);
    expect(other.propagation.status).toBe('applied');
    await eventually(() => expect(harness.logLines.join('')).toContain('coordinator refused an entity'));
    const attempts = harness.coordinator.requestsTo(new RegExp(name)).length;
    expect(attempts).toBe(1);
    harness.coordinator.clearRules();
    const revived = await admin.patch<Publication>(`/api/v1/publications/${made.id}`, { policy: { a: 1 } });
    expect(revived.body.propagation.status).toBe('applied');
  });

  it('tries again what failed for now, and reports a timely acknowledgement that is missing', async () => {
    const name = unique('flaky');
    let failures = 2;
    harness.coordinator.script(({ path }) =>
      path.includes(name) && failures-- > 0 ? { status: 503, body: { type: 'x', title: 'x' } } : undefined,
    );
    const made = await makePublication(admin, projectId, { name });
    expect(made.propagation).toMatchObject(DEFERRED);
    await eventually(() => expect(harness.coordinator.models.has(name)).toBe(true));
    harness.coordinator.ackingNodes = [];
    try {
      const unacknowledged = await makePublication(admin, projectId);
      expect(unacknowledged.propagation).toMatchObject({ status: 'deferred', reason: 'awaiting_ack' });
      expect(harness.coordinator.models.has(unacknowledged.name)).toBe(true);
    } finally {
      harness.coordinator.ackingNodes = ['node-1', 'node-2'];
    }
  });

  it('passes the trace context of the request on', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const body = { project_id: projectId, name: unique('traced') };
    await admin.post('/api/v1/publications', body, { headers: { traceparent } });
    const [push] = harness.coordinator.requestsTo(/PUT .*traced/);
    expect(push?.headers.traceparent).toBe(traceparent);
    expect(push?.headers['x-backendai-requestid']).toBeDefined();
  });

  it('shares the work with a second manager on the same database', async () => {
    const second = await ManagerHarness.start({
      databaseUrl: harness.databaseUrl,
      config: {
        coordinator: {
          url: harness.coordinator.url,
          api_secret: harness.coordinator.apiSecret,
          authority: harness.authority,
        },
        admin_token: harness.adminToken,
      },
    });
    try {
      const made = await makePublication(admin, projectId);
      const other = second.as(harness.adminToken);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 === 0 ? admin : other).patch<Publication>(`/api/v1/publications/${made.id}`, {
            policy: { index },
          }),
        ),
      );
      for (const answer of answers) expect(answer.status).toBe(200);
      const { body } = await admin.get<Publication>(`/api/v1/publications/${made.id}`);
      await eventually(() => expect(harness.coordinator.models.get(made.name)?.policy).toEqual(body.policy));
    } finally {
      await second.dispose();
    }
  });
});
