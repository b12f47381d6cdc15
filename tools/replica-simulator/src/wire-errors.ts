/** An error body as vLLM's OpenAI server sends it. */
export function errorBody(status: number, message: string, param: string | null = null): object {
  return { error: { message, type: TYPES[status] ?? 'InternalServerError', param, code: status } };
}

const TYPES: Record<number, string> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  405: 'MethodNotAllowed',
  413: 'BadRequestError',
  429: 'RateLimitError',
  503: 'ServiceUnavailableError',
};
