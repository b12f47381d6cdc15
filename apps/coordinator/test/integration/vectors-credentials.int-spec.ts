import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyHs256, type JwtClaims } from '@penstock/protocol';

import { API_SECRET } from '../support/coordinator-instance.js';
import { JWT_SECRET, recordedCall, RecordedFleet } from '../support/recorded-fleet.js';
import { loadVectors, withoutGenerated } from '../support/vectors.js';

interface JwtVectors {
  readonly jwt_secret: string;
  readonly circuit_token: { readonly header: object; readonly claims: JwtClaims };
  readonly coordinator_bearer: { readonly api_secret: string; readonly authorization: string };
  readonly control_plane_header: readonly {
    readonly header: Readonly<Record<string, string>>;
    readonly result: 'accept' | 'reject';
  }[];
}

const jwt = loadVectors<JwtVectors>('jwt.json');
const { endpoints } = loadVectors<{
  endpoints: readonly { readonly name: string; readonly path: string; readonly body: object }[];
}>('manager-api.json');

describe('credentials at a running coordinator', () => {
  let fleet: RecordedFleet;

  beforeAll(async () => {
    fleet = await RecordedFleet.start();
  });

  afterAll(() => fleet.stop());

  it.each(jwt.control_plane_header)('$header: $result', async ({ header, result }) => {
    const { status } = await fleet.coordinator.call('GET', '/api/worker', { headers: header });
    expect(status).toBe(result === 'accept' ? 200 : 401);
  });

  it('takes the control-plane token of a peer', async () => {
    const { api_secret, authorization } = jwt.coordinator_bearer;
    expect(api_secret).toBe(API_SECRET);
    const { status } = await fleet.coordinator.call('GET', '/api/worker', { headers: { authorization } });
    expect(status).toBe(200);
  });

  it('mints deployment tokens with the claims of the vector, in its order, under its header', async () => {
    const worker = await fleet.join('wildcard', { tls_advertised: true, wildcard_traffic_port: 443 });
    const { request } = recordedCall('endpoints', 'create-bulk-mixed');
    const [item] = (request.body as { endpoints: object[] }).endpoints;
    await fleet.coordinator.call('POST', '/v2/endpoints/bulk', { body: { endpoints: [item] } });
    const call = endpoints.find(({ name }) => name === 'mint-token');
    const answer = await fleet.coordinator.call('POST', call?.path ?? '', { body: call?.body });
    expect(answer.status).toBe(200);
    const { token } = answer.body as unknown as { readonly token: string };

    expect(JWT_SECRET).toBe(jwt.jwt_secret);
    const verified = verifyHs256(token, JWT_SECRET, 0);
    const claims = verified.ok ? verified.claims : {};
    expect(Object.keys(claims)).toEqual(Object.keys(jwt.circuit_token.claims));
    const expected = { ...jwt.circuit_token.claims, exp: Date.parse('2027-01-01T00:00:00Z') / 1000 };
    expect(withoutGenerated(claims)).toEqual(withoutGenerated(expected));
    expect(claims['worker']).toBe(worker.workerId);
    const [header = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual(jwt.circuit_token.header);
  });
});
