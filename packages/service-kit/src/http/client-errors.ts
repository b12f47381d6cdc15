import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';

import type { ErrorRenderer, RenderedError } from '../errors/error-renderer.port.js';
import type { Failure } from '../errors/failure.js';
import { newRequestId } from '../request-id.js';

type ClientError = Error & { readonly code?: string };

/** Answers what never became a request: bytes that are no HTTP, a flood of headers, a sender that stalls. */
export function clientErrorHandler(renderer: ErrorRenderer): (error: ClientError, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const rendered = renderer.render(toFailure(error), { path: '', requestId: newRequestId() });
    socket.end(toResponse(rendered), () => socket.destroy());
  };
}

function toFailure(error: ClientError): Failure {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'headers-too-large' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { kind: 'request-timeout' };
    default:
      return { kind: 'malformed-request', message: 'The request is not valid HTTP.' };
  }
}

function toResponse({ status, headers, body }: RenderedError): string {
  const payload = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(payload)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${payload}`;
}
