import { WireError, type AppError } from '@penstock/protocol';

/** The body of an error outside the model API, as clients of AppProxy workers read it. Its status stays the error's. */
export function wireErrorBody(error: AppError): string {
  return JSON.stringify(toWireError(error).toBody());
}

function toWireError(error: AppError): WireError {
  const { code, publicMessage: msg } = error;
  switch (code) {
    case 'E20006':
    case 'E20007':
    case 'E20008':
    case 'E20009':
      return WireError.invalidCredentials(`${code}: ${msg}`);
    case 'E20011':
      return WireError.clientIpNotAllowed();
    case 'endpoint_not_found':
    case 'unknown_url':
      return new WireError('objectNotFound', { title: 'E00002: No such endpoint.', msg });
    case 'model_unavailable':
      return WireError.workerNotAvailable();
    case 'upstream_error':
      return WireError.containerConnectionRefused();
    case 'request_too_large':
      return new WireError('bodyTooLarge', { msg });
    case 'method_not_allowed':
      return new WireError('methodNotAllowed', { msg, data: { allowed_methods: error.allow ?? [] } });
    default:
      return ofStatus(error.status, msg);
  }
}

/** What peers have no body of their own for. */
function ofStatus(status: number, msg: string): WireError {
  if (status < 500) return new WireError('badRequest', { msg });
  if (status === 500) return WireError.internalServerError();
  return new WireError(status === 503 ? 'workerNotAvailable' : 'containerConnectionRefused', { msg });
}
