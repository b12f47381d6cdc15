/** Turns what the schema engine throws into one sentence; the engine's own error is kept as the cause. */
export function describeEngineError(error: unknown, what: string): Error {
  const full = engineMessage(error);
  const migration = /migration_name="([^"]+)"/.exec(full)?.[1];
  return new Error(`${what}${migration === undefined ? '' : `, in ${migration}`}: ${essence(full)}`, {
    cause: error,
  });
}

/** The engine puts its words for people into `message` or, for known errors, into `data.message`. */
function engineMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { message, data } = error as { message?: unknown; data?: unknown };
  const fromData = (data as { message?: unknown } | undefined)?.message;
  if (typeof fromData === 'string' && fromData !== '') return fromData;
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(error);
}

const SPAN_TRACE = /\n\s+0: [\s\S]*$/;
const PREAMBLE = /^external connector error\n/;

function essence(message: string): string {
  return message.replace(SPAN_TRACE, '').replace(PREAMBLE, '').trim();
}
