import { WIRE_ERRORS, type WireErrorKind } from './wire-catalogue.js';
import type { WireIssue } from './wire-issue.js';

const METHOD_SHOWN_MAX = 64;
const TYPE_PREFIX = 'https://api.backend.ai/probs/';

/** The JSON an AppProxy peer reads, keys in this order. */
export interface WireErrorJson {
  readonly type: string;
  readonly title: string;
  readonly error_code: string;
  readonly msg?: string;
  readonly data?: unknown;
}

interface WireErrorOptions {
  readonly title?: string;
  readonly msg?: string | undefined;
  readonly data?: unknown;
  readonly cause?: unknown;
  readonly allow?: readonly string[];
}

/** One worker row in the way of a registration. */
export interface ColocatedWorker {
  readonly authority: string;
  readonly frontend_mode: string;
  readonly accepted_traffics: readonly string[];
}

/** An error answered in the form of the AppProxy control APIs. `cause` stays in logs. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly kind: WireErrorKind;
  readonly status: number;
  readonly suffix: string;
  readonly title: string;
  readonly error_code: string;
  readonly msg: string | undefined;
  readonly data: unknown;
  /** Becomes the `Allow` header of a 405. */
  readonly allow: readonly string[] | undefined;

  constructor(kind: WireErrorKind, options: WireErrorOptions = {}) {
    const entry = WIRE_ERRORS[kind];
    super(options.msg ?? options.title ?? entry.title, { cause: options.cause });
    this.kind = kind;
    this.status = entry.status;
    this.suffix = entry.suffix;
    this.title = options.title ?? entry.title;
    this.error_code = entry.error_code;
    this.msg = options.msg;
    this.data = options.data;
    this.allow = options.allow;
  }

  toBody(): WireErrorJson {
    return {
      type: `${TYPE_PREFIX}${this.suffix}`,
      title: this.title,
      error_code: this.error_code,
      ...(this.msg === undefined ? {} : { msg: this.msg }),
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }

  /** Field-level issues, or one sentence such as `Malformed body`. */
  static invalidApiParams(issues: string | readonly WireIssue[]): WireError {
    return typeof issues === 'string'
      ? new WireError('invalidApiParams', { msg: issues })
      : new WireError('invalidApiParams', { msg: 'Input validation error', data: { errors: issues } });
  }

  static authFailed(msg = 'Unauthorized access'): WireError {
    return new WireError('authFailed', { msg });
  }

  /** @param method - first word of `Authorization`, as sent */
  static unauthorizedMethod(method: string): WireError {
    return WireError.authFailed(`Unsupported authorization method ${method.slice(0, METHOD_SHOWN_MAX)}`);
  }

  /** A token, permit or session that does not admit; `msg` begins with its code (`E20008: …`). */
  static invalidCredentials(msg: string): WireError {
    return new WireError('invalidCredentials', { msg });
  }

  static clientIpNotAllowed(): WireError {
    return new WireError('clientIpNotAllowed', { msg: 'E20011: Client address not allowed' });
  }

  static missingSessionParameter(): WireError {
    return new WireError('missingSessionParameter', { msg: 'Not meant for inference apps' });
  }

  static objectNotFound(
    object: 'worker' | 'router' | 'circuit' | 'worker:circuit' | 'endpoint' | 'token',
  ): WireError {
    return new WireError('objectNotFound', { title: `E00002: No such ${object}.` });
  }

  static urlNotFound(path: string): WireError {
    return new WireError('urlNotFound', { data: path });
  }

  static methodNotAllowed(method: string, allowed: readonly string[]): WireError {
    const data = { allowed_methods: allowed };
    return new WireError('methodNotAllowed', { msg: `Method ${method} not allowed`, data, allow: allowed });
  }

  static workerColocationConflict(
    worker: { readonly authority: string; readonly frontend_mode: string },
    conflicts_with: readonly ColocatedWorker[],
  ): WireError {
    const { authority, frontend_mode } = worker;
    return new WireError('workerColocationConflict', { data: { authority, frontend_mode, conflicts_with } });
  }

  static modelNameConflict(name: string): WireError {
    return new WireError('modelNameConflict', { data: { name } });
  }

  /** @param key_id - the key that has the hash; the hash itself is never told */
  static keyHashConflict(key_id: string): WireError {
    return new WireError('keyHashConflict', { data: { key_id } });
  }

  static endpointAuthorityConflict(endpoint_id: string, authority: string): WireError {
    return new WireError('endpointAuthorityConflict', { data: { endpoint_id, authority } });
  }

  /** @param endpoint_ids - the internal endpoints that the publication maps */
  static internalPublication(endpoint_ids: readonly string[]): WireError {
    return new WireError('internalPublication', { data: { endpoint_ids } });
  }

  /** @param publications - primary names of the models that map the endpoint */
  static endpointPublished(endpoint_id: string, publications: readonly string[]): WireError {
    return new WireError('endpointPublished', { data: { endpoint_id, publications } });
  }

  /** @param downstreams - ids of the endpoints bound to it */
  static endpointInUse(downstreams: readonly string[]): WireError {
    return new WireError('endpointInUse', { data: { downstreams } });
  }

  /** @param reason - such as a self-reference or a cycle */
  static upstreamConflict(reason: string): WireError {
    return new WireError('upstreamConflict', { msg: reason });
  }

  static workerNotAvailable(): WireError {
    return new WireError('workerNotAvailable');
  }

  static workerNotResponding(authority: string): WireError {
    const msg = 'E10001: Proxy worker not responding';
    return new WireError('workerNotResponding', { msg, data: { worker: authority } });
  }

  static portNotAvailable(): WireError {
    return new WireError('portNotAvailable');
  }

  /** @param mode - the frontend mode whose slot field the registration lacks */
  static missingFrontendConfig(mode: 'port' | 'wildcard'): WireError {
    const what = mode === 'port' ? 'Port range' : 'Wildcard domain';
    return new WireError('missingFrontendConfig', {
      msg: `${what} is required for ${mode.toUpperCase()} frontend mode`,
    });
  }

  static containerConnectionRefused(): WireError {
    return new WireError('containerConnectionRefused');
  }

  /** @param setting - name of the setting that is missing, such as `jwt_secret` */
  static serverMisconfigured(setting: string): WireError {
    return new WireError('serverMisconfigured', { msg: setting });
  }

  static internalServerError(cause?: unknown): WireError {
    return new WireError('internalServerError', { cause });
  }
}
