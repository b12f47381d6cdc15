import { readFileSync } from 'node:fs';

import { isNode, LineCounter, parseDocument, type Document } from 'yaml';

import { isPlainObject, type PlainObject } from './plain-object.js';

/** A configuration file as read, before any reference in it is resolved. */
export interface ConfigDocument {
  readonly values: PlainObject;
  readonly problems: readonly string[];
  /** `file:line` of a key, for messages; the file alone when the key is not in it. */
  locate(path: readonly PropertyKey[]): string;
}

const FILE_SIZE_BYTES_MAX = 1024 * 1024;

/** Reads YAML or JSON (which is YAML). Never throws: what is wrong with the file becomes a problem. */
export function readDocument(file: string): ConfigDocument {
  const text = readText(file);
  if (typeof text !== 'string') return unusable(file, text.problem);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const syntax = document.errors.map((error) => `${file}: ${firstLine(error.message)}`);
  if (syntax.length > 0) return { values: {}, problems: syntax, locate: () => file };
  const values = toValues(document);
  if (!isPlainObject(values)) return unusable(file, 'must hold keys and values, such as "port: 10300".');
  return { values, problems: [], locate: (path) => locate(document, lines, file, path) };
}

/** Stands in where no file was given. */
export const NO_DOCUMENT: ConfigDocument = { values: {}, problems: [], locate: () => 'the configuration' };

function readText(file: string): string | { problem: string } {
  try {
    const text = readFileSync(file, 'utf8');
    return text.length <= FILE_SIZE_BYTES_MAX ? text : { problem: 'is larger than 1 MiB.' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { problem: 'does not exist; check --config or PENSTOCK_CONFIG.' };
    if (code === 'EISDIR') return { problem: 'is a folder; name the file in it.' };
    return { problem: `cannot be read (${code ?? 'unknown reason'}); check its permissions.` };
  }
}

function unusable(file: string, problem: string): ConfigDocument {
  return { values: {}, problems: [`${file} ${problem}`], locate: () => file };
}

/** An empty file is an empty configuration. Aliases that multiply without end are refused by the parser. */
function toValues(document: Document): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    return undefined;
  }
}

function locate(document: Document, lines: LineCounter, file: string, path: readonly PropertyKey[]): string {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return `${file}:${lines.linePos(node.range[0]).line}`;
  }
  return file;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
