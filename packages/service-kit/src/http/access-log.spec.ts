import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { type ScriptedService, startScriptedService } from '../testing/scripted-service.js';

const ID = '7e57ab1e-0000-4000-8000-000000000001';

describe('the access log', () => {
  let service: ScriptedService;

  beforeAll(async () => {
    service = await startScriptedService({ errors: 'appproxy' });
  });
  afterAll(() => service.close());

  it('shows the path as it was called, without its query', async () => {
    await service.call(`/things/${ID}?secret=hidden`);
    expect(service.logs).toContainEqual(
      expect.objectContaining({ msg: 'http request', route: '/things/:id', path: `/things/${ID}` }),
    );
    expect(JSON.stringify(service.logs)).not.toContain('hidden');
  });

  it('shows the pattern alone where a part of the path is a credential', async () => {
    const { status } = await service.call('/keys/my-credential/open');
    expect(status).toBe(200);
    expect(service.logs).toContainEqual(expect.objectContaining({ path: '/keys/:token/open' }));
    expect(JSON.stringify(service.logs)).not.toContain('my-credential');
  });
});
