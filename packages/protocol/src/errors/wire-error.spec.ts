import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadFixture } from '../../fixtures/load-fixture.js';
import { wireObject } from '../wire/wire-object.js';
import { WireError } from './wire-error.js';
import { wireIssues } from './wire-issue.js';

interface Answer {
  readonly name: string;
  readonly status?: number;
  readonly our_status?: number;
  readonly body?: unknown;
  readonly response?: unknown;
}

const recorded = loadFixture<{ readonly cases: readonly Answer[] }>('errors').cases;
const registration = loadFixture<{ readonly reject: readonly Answer[] }>('registration').reject;
const routers = loadFixture<{ readonly routers: readonly Answer[] }>('manager-api').routers;

const wildcard = { authority: 'wild-seoul-1', frontend_mode: 'wildcard', accepted_traffics: ['inference'] };
const router = { authority: 'router-seoul-1', frontend_mode: 'router', accepted_traffics: ['inference'] };

/** What we answer where peers were recorded answering. */
const answers: Readonly<Record<string, WireError>> = {
  unauthorized: WireError.authFailed(),
  'bad-secret': WireError.authFailed(),
  'unsupported-auth-method': WireError.unauthorizedMethod('Basic'),
  'worker-not-found': WireError.objectNotFound('worker'),
  'circuit-not-found': WireError.objectNotFound('circuit'),
  'token-not-found': WireError.objectNotFound('token'),
  'unknown-authority': WireError.objectNotFound('router'),
  'url-not-found': WireError.urlNotFound('/nope'),
  'method-not-allowed': WireError.methodNotAllowed('POST', ['OPTIONS', 'GET', 'PUT']),
  'malformed-body': WireError.invalidApiParams('Malformed body'),
  'no-worker-available': WireError.workerNotAvailable(),
  'port-taken': WireError.portNotAvailable(),
  'worker-not-responding': WireError.workerNotResponding('wild-seoul-1'),
  'malformed-id-in-path': WireError.internalServerError(),
  'conf-without-session': WireError.missingSessionParameter(),
  'session-mismatch': WireError.invalidCredentials('E20007: Session ID mismatch'),
  'worker-side-circuit-not-found': WireError.objectNotFound('worker:circuit'),
  'data-plane-no-auth-header': WireError.invalidCredentials('E20006: Authorization header not provided'),
  'data-plane-token-mismatch': WireError.invalidCredentials('E20009: Authorization token mismatch'),
  'data-plane-ip': WireError.clientIpNotAllowed(),
  'data-plane-kernel-refused': WireError.containerConnectionRefused(),
  'missing-frontend-config': WireError.missingFrontendConfig('port'),
  'colocation-router-after-stock': WireError.workerColocationConflict(router, [wildcard]),
  'colocation-stock-after-router': WireError.workerColocationConflict(wildcard, [router]),
};

const bodied = [...recorded, ...registration, ...routers].flatMap((answer) => {
  const error = answers[answer.name];
  const body = answer.body ?? answer.response;
  return error === undefined ? [] : [{ ...answer, error, body: answer.response ?? body }];
});

describe('WireError', () => {
  it('is checked against every recorded answer that it can give', () => {
    expect(bodied.map(({ name }) => name).sort()).toEqual(Object.keys(answers).sort());
  });

  it.each(bodied)('answers $name as peers do', ({ error, body, status, our_status }) => {
    expect(JSON.stringify(error.toBody())).toBe(JSON.stringify(body));
    expect(error.status).toBe(status ?? our_status);
  });

  it('names the fields of a refused request', () => {
    const schema = wireObject({ authority: z.string(), nodes: z.array(z.object({ port: z.number() })) });
    const { error } = schema.safeParse({ nodes: [{ port: 'x' }] });
    if (error === undefined) throw new Error('was accepted');
    expect(WireError.invalidApiParams(wireIssues(error)).toBody()).toEqual({
      type: 'https://api.backend.ai/probs/invalid-api-params',
      title: 'Missing or invalid API parameters.',
      error_code: 'agent_request_invalid-parameters',
      msg: 'Input validation error',
      data: {
        errors: [
          { type: 'missing', loc: ['authority'], msg: 'Field required' },
          { type: 'invalid_type', loc: ['nodes', 0, 'port'], msg: expect.any(String) },
        ],
      },
    });
  });

  it('names what is in the way of a change', () => {
    expect(WireError.modelNameConflict('llama').toBody()).toMatchObject({
      title: 'Model name already published on this authority.',
      error_code: 'appproxy_create_already-exists',
      data: { name: 'llama' },
    });
    expect(WireError.endpointInUse(['e2']).toBody()).toMatchObject({ data: { downstreams: ['e2'] } });
    expect(WireError.upstreamConflict('a cycle').toBody()).toMatchObject({ msg: 'a cycle' });
    expect(WireError.internalPublication(['e1']).toBody()).toMatchObject({ data: { endpoint_ids: ['e1'] } });
    expect(WireError.endpointPublished('e1', ['llama']).toBody()).toMatchObject({
      data: { endpoint_id: 'e1', publications: ['llama'] },
    });
    expect(WireError.serverMisconfigured('jwt_secret').toBody()).toEqual({
      type: 'https://api.backend.ai/probs/server-misconfigured',
      title: 'E00001: Service misconfigured.',
      error_code: 'agent_setup_invalid-parameters',
      msg: 'jwt_secret',
    });
    expect(WireError.keyHashConflict('k1').toBody()).toMatchObject({ data: { key_id: 'k1' } });
    expect(WireError.endpointAuthorityConflict('e1', 'router-b').toBody()).toMatchObject({
      data: { endpoint_id: 'e1', authority: 'router-b' },
    });
  });

  it('keeps the cause out of the body', () => {
    const error = WireError.internalServerError(new Error('sk-canary'));
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error.toBody())).not.toContain('canary');
  });
});
