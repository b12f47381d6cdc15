import { pino } from 'pino';

import type { Logger } from './create-logger.js';
import { isoTime } from './iso-time.js';
import { scrubText } from './redact.js';
import { isSecretName } from './secret-names.js';

/** The members of a pino logger that make a line; pino publishes their symbols for integrations like this one. */
interface LoggerParts {
  /** `,"service":"router","pid":1`: what the logger repeats on each line, as finished JSON. */
  readonly bindings: string;
  readonly stream: { write(line: string): void };
}

/**
 * One line of flat fields, made at a third of the cost of pino's general way, which walks every name and value character
 * by character. Times, bindings, scrubbing and masking are the same.
 * @returns false, with nothing written, when a value is an object or a name is secret: then pino has to do it
 */
export function writeFlatLine(
  logger: Logger,
  level: string,
  message: string,
  fields: Readonly<Record<string, unknown>>,
): boolean {
  const parts = partsOf(logger);
  if (parts === null) return false;
  let line = `{"level":"${level}"${isoTime()}${parts.bindings}`;
  for (const name in fields) {
    const value = fields[name];
    if (value === undefined) continue;
    const text = textOf(value);
    const prefix = prefixOf(name);
    if (text === null || prefix === null) return false;
    line += prefix + text;
  }
  parts.stream.write(scrubText(`${line},"msg":${JSON.stringify(message)}}\n`));
  return true;
}

/** JSON of a plain value; null for what is not plain. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  return typeof value === 'boolean' || value === null ? String(value) : null;
}

const PREFIXES_MAX = 2_000;
const prefixes = new Map<string, string | null>();

/** `,"name":` ready to be put in front of a value; null for a secret name. Names come from code, so there are few. */
function prefixOf(name: string): string | null {
  const known = prefixes.get(name);
  if (known !== undefined) return known;
  const prefix = isSecretName(name) ? null : `,${JSON.stringify(name)}:`;
  if (prefixes.size < PREFIXES_MAX) prefixes.set(name, prefix);
  return prefix;
}

/** Null when another version of pino keeps these elsewhere; its general way still works then. */
function partsOf(logger: Logger): LoggerParts | null {
  const { chindingsSym, streamSym } = pino.symbols;
  const bindings: unknown = Reflect.get(logger, chindingsSym);
  const stream: unknown = Reflect.get(logger, streamSym);
  if (typeof bindings !== 'string' || typeof stream !== 'object' || stream === null) return null;
  return { bindings, stream: stream as LoggerParts['stream'] };
}
