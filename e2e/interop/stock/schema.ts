import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { StockSetup } from './common-tables.ts';
import { stockProgram } from './release.ts';
import { runProgram } from './run-program.ts';
import { stockEnvironment } from './start-process.ts';

const TIMEOUT_MS = 120_000;

/** Fills an empty database. @throws with what the program says when it cannot. */
export async function createStockSchema(
  { dir, name }: Pick<StockSetup, 'dir' | 'name'>,
  databaseUrl: string,
): Promise<void> {
  const ini = join(dir, `${name}-alembic.ini`);
  writeFileSync(ini, alembicIni(databaseUrl), { mode: 0o600 });
  // Walking through all revisions instead ends in another schema, whose protocols lack some.
  const args = ['app-proxy-coordinator', 'schema', 'oneshot', '-f', ini];
  const env = stockEnvironment({ dir, name: `${name}-schema` });
  const made = await runProgram(stockProgram('backend.ai'), args, { timeoutMs: TIMEOUT_MS, cwd: dir, env });
  if (!made.ok)
    throw new Error(`the schema of the real coordinator cannot be made:\n${made.stderr.slice(-2_000)}`);
}

function alembicIni(databaseUrl: string): string {
  const target = databaseUrl.replace(/^postgresql:/, 'postgresql+asyncpg:').replaceAll('%', '%%');
  return [
    '[alembic]',
    'script_location = ai.backend.appproxy.coordinator.models:alembic',
    `sqlalchemy.url = ${target}`,
    '[loggers]\nkeys = root\n[handlers]\nkeys = console\n[formatters]\nkeys = plain',
    '[logger_root]\nlevel = WARN\nhandlers = console',
    '[handler_console]\nclass = StreamHandler\nargs = (sys.stderr,)\nformatter = plain',
    '[formatter_plain]\nformat = %(levelname)s %(name)s %(message)s',
    '',
  ].join('\n');
}
