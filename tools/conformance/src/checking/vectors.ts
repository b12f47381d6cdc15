import { readFileSync } from 'node:fs';
import { type Json, parseJson } from './json.js';

const FIXTURES = new URL('../../../../packages/protocol/fixtures/', import.meta.url);

/**
 * An example file of the AppProxy protocol.
 * @throws Error when the file is missing or no JSON.
 */
export function loadVectors(name: string): Json {
  const value = parseJson(readFileSync(new URL(`${name}.json`, FIXTURES), 'utf8'));
  if (value === undefined) throw new Error(`${name}.json is no JSON`);
  return value;
}
