import { expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '@penstock/protocol';
import { wireErrorBody } from './wire-error-body.js';

const body = (code: ErrorCode, message = 'why') =>
  JSON.parse(wireErrorBody(new AppError(code, message, { cause: new Error('10.0.0.1 refused') }))) as object;

it('writes what peers write for the same failure', () => {
  expect(body('E20006', 'Authorization header not provided')).toEqual({
    type: 'https://api.backend.ai/probs/invalid-credentials',
    title: 'Authentication credentials not valid.',
    error_code: 'agent_auth_unauthorized',
    msg: 'E20006: Authorization header not provided',
  });
  expect(body('E20011')).toEqual({
    type: 'https://api.backend.ai/probs/client-ip-not-allowed',
    title: 'Client address not allowed.',
    error_code: 'appproxy_access_forbidden',
    msg: 'E20011: Client address not allowed',
  });
  expect(body('model_unavailable')).toEqual({
    type: 'https://api.backend.ai/probs/appproxy/worker-not-available',
    title: 'Worker not available.',
    error_code: 'agent_access_not-found',
  });
  expect(body('upstream_error')).toEqual({
    type: 'https://api.backend.ai/probs/appproxy/container-connection-refused',
    title: 'Cannot connect to Backend.AI kernel.',
    error_code: 'kernel_access_unreachable',
  });
});

it.each<ErrorCode>([
  'invalid_request',
  'request_timeout',
  'request_too_large',
  'method_not_allowed',
  'endpoint_not_found',
  'internal_error',
  'not_ready',
  'draining',
  'upstream_timeout',
])('has a body for %s, and no cause in it', (code) => {
  const text = JSON.stringify(body(code));
  expect(body(code)).toMatchObject({
    type: expect.stringMatching(/^https:\/\/api\.backend\.ai\/probs\//),
    title: expect.any(String),
    error_code: expect.any(String),
  });
  expect(text).not.toContain('10.0.0.1');
});
