/**
 * Development script: `node packages/config/dist/document-config.js <service> <module> <export> <page.md> [--check]`.
 * Writes the table of a service's keys between the two markers of its configuration page; with `--check` it changes
 * nothing and fails when the page is not up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { renderConfigTable } from './describe-config.js';
import { replaceBetweenMarkers } from './replace-between-markers.js';

const USAGE = 'usage: document-config.js <service> <compiled module> <schema export> <page.md> [--check]';

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' } },
  });
  const [service, module, name, page] = positionals;
  if (service === undefined || module === undefined || name === undefined || page === undefined) {
    throw new Error(USAGE);
  }
  const before = await readFile(page, 'utf8');
  const after = replaceBetweenMarkers(before, renderConfigTable(service, await importSchema(module, name)));
  if (after === before) return;
  if (values.check === true)
    throw new Error(`${page} is not up to date: run the same command without --check.`);
  await writeFile(page, after);
}

async function importSchema(module: string, name: string): Promise<z.ZodType> {
  const exports = (await import(pathToFileURL(resolve(module)).href)) as Record<string, unknown>;
  const schema = exports[name];
  if (schema instanceof z.ZodType) return schema;
  throw new Error(`${module} exports no zod schema named ${name}.`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
