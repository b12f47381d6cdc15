import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { AppError } from './app-error.js';
import { ERRORS, type ErrorEntry } from './catalogue.js';
import { WIRE_ERRORS } from './wire-catalogue.js';

const entries: readonly (readonly [string, ErrorEntry])[] = Object.entries(ERRORS);
const dataPlane = entries.filter(([, { type }]) => type !== undefined);
const control = entries.filter(([, { type }]) => type === undefined);
const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');

/** Heading of an entry and the text below it, up to the next heading. */
function documented(heading: string): string | undefined {
  return page.split(/^### /m).find((section) => section.startsWith(`\`${heading}\``));
}

describe('ERRORS', () => {
  /** Clients compare these literally: a code never changes its meaning, and leaves only with a major version. */
  it('lists exactly the codes of the router that clients know', () => {
    expect(dataPlane.map(([code, { status }]) => `${status} ${code}`)).toMatchInlineSnapshot(`
      [
        "401 missing_api_key",
        "401 invalid_api_key",
        "401 expired_api_key",
        "403 client_ip_not_allowed",
        "403 model_not_allowed",
        "429 rate_limit_exceeded",
        "404 model_not_found",
        "400 missing_model",
        "400 invalid_json",
        "400 invalid_request",
        "404 unknown_url",
        "405 method_not_allowed",
        "408 request_timeout",
        "411 length_required",
        "413 request_too_large",
        "415 unsupported_media_type",
        "417 expectation_failed",
        "431 headers_too_large",
        "499 client_closed_request",
        "500 internal_error",
        "502 upstream_error",
        "503 model_unavailable",
        "503 not_ready",
        "503 overloaded",
        "503 draining",
        "504 upstream_timeout",
        "404 endpoint_not_found",
        "503 E20001",
        "400 E20002",
        "504 E20003",
        "401 E20004",
        "401 E20005",
        "401 E20006",
        "401 E20007",
        "401 E20008",
        "401 E20009",
        "502 E20010",
        "403 E20011",
        "400 E20012",
        "503 E20013",
        "503 E20014",
      ]
    `);
  });

  it('lists exactly the codes of the control APIs that clients know', () => {
    expect(control.map(([code, { status }]) => `${status} ${code}`)).toMatchInlineSnapshot(`
      [
        "400 request.invalid",
        "400 request.malformed",
        "404 request.not_found",
        "405 request.method_not_allowed",
        "408 request.timeout",
        "413 request.too_large",
        "415 request.unsupported_media_type",
        "429 request.rate_limited",
        "401 auth.missing_token",
        "401 auth.invalid_token",
        "403 auth.forbidden",
        "404 resource.not_found",
        "409 resource.conflict",
        "409 resource.in_use",
        "409 resource.already_exists",
        "422 idempotency.key_reused",
        "409 idempotency.in_progress",
        "409 publication.name_taken",
        "409 publication.ratio_managed",
        "409 publication.wrong_authority",
        "400 publication.internal_deployment",
        "409 deployment.published",
        "409 deployment.has_downstreams",
        "409 upstream.cycle",
        "501 upstream.not_configured",
        "503 upstream.token_pending",
        "400 model_key.no_models",
        "400 model_key.model_not_available",
        "409 model_key.revoked",
        "400 replica.address_not_allowed",
        "400 authority.unknown",
        "503 coordinator.unavailable",
        "502 coordinator.refused",
        "503 database.unavailable",
        "503 service.not_ready",
        "500 service.internal",
      ]
    `);
  });

  it.each(entries)('%s blames and invites retries in keeping with its status', (_code, entry) => {
    if (entry.status >= 500) expect(entry.fault).not.toBe('client');
    else expect(entry.fault).toBe('client');
    if (entry.retryable) expect([408, 409, 429, 500, 502, 503, 504]).toContain(entry.status);
  });

  it.each(entries)('%s is documented with its status, its meaning and what to do', (code, { status }) => {
    const [, meaning, whatToDo] = documented(code)?.split('\n\n') ?? [];
    expect(meaning).toMatch(new RegExp(`^\\*\\*${status}\\*\\*\\. .{10}`));
    expect(whatToDo).toMatch(/^.{10}/);
  });

  it.each(Object.values(WIRE_ERRORS))('$suffix is documented with its status and code', (entry) => {
    const section = documented(entry.suffix);
    expect(section).toContain(`**${entry.status}**`);
    expect(section).toContain(entry.error_code);
  });
});

describe('AppError', () => {
  it('keeps what is for logs apart from what is for callers', () => {
    const cause = new Error('sk-canary');
    const error = new AppError('model_not_found', 'No model x.', {
      cause,
      details: { x: 1 },
      param: 'model',
    });
    expect(error).toMatchObject({ code: 'model_not_found', status: 404, publicMessage: 'No model x.' });
    expect(error).toMatchObject({ param: 'model', details: { x: 1 }, cause, errors: [] });
  });
});
