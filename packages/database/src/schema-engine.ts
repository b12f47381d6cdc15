import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type * as SchemaEngineWasm from '@prisma/schema-engine-wasm';

type SchemaEngine = SchemaEngineWasm.SchemaEngine;

/** What the engine reaches the database through, and a way to let go of it. */
export interface EngineAdapterFactory extends SqlMigrationAwareDriverAdapterFactory {
  close(): Promise<void>;
}

/**
 * Runs `work` with Prisma's schema engine. It is WebAssembly, so nothing is downloaded and no binary runs.
 * @param schema - the Prisma schema file; its path appears in the engine's messages only
 */
export async function withSchemaEngine<T>(
  schema: SchemaEngineWasm.SchemaContainer,
  adapter: EngineAdapterFactory,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadSchemaEngine();
  const datamodels: [string, string][] = [[schema.path, schema.content]];
  try {
    const bound = bindMigrationAwareSqlAdapterFactory(adapter);
    const engine = await SchemaEngine.new({ datamodels }, () => undefined, bound);
    return await work(engine).finally(() => engine.free());
  } finally {
    await adapter.close();
  }
}

let loading: Promise<typeof SchemaEngineWasm> | undefined;

/** Loaded at first use: 5 MB that a process which never migrates should not pay for. */
function loadSchemaEngine(): Promise<typeof SchemaEngineWasm> {
  loading ??= instantiate();
  return loading;
}

interface WasmGlue {
  __wbg_set_wasm(exports: object): void;
}

/** The part of the WebAssembly global used here; its types come with the browser's library only. */
interface WebAssemblyGlobal {
  instantiate(
    binary: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ readonly instance: { readonly exports: { __wbindgen_start(): void } } }>;
}

/** By hand instead of `import '….wasm'`, which prints an experimental-feature warning at every start. */
async function instantiate(): Promise<typeof SchemaEngineWasm> {
  const glue = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as typeof SchemaEngineWasm &
    WasmGlue;
  const folder = dirname(createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm'));
  const binary = await readFile(join(folder, 'schema_engine_bg.wasm'));
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal };
  const imports = { './schema_engine_bg.js': { ...glue, ...timersThatDoNotHoldTheProcess(glue) } };
  const { instance } = await WebAssembly.instantiate(binary, imports);
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  return glue;
}

/** The engine never clears the ten-second timer of its own lock, which would keep a finished process alive. */
function timersThatDoNotHoldTheProcess(glue: object): Record<string, object> {
  const names = Object.keys(glue).filter((name) => name.startsWith('__wbg_setTimeout_'));
  const start = (callback: () => void, ms: number) => setTimeout(callback, ms >>> 0).unref();
  return Object.fromEntries(names.map((name) => [name, start]));
}
