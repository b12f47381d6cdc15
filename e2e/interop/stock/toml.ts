/** Values of the configuration files that the real packages read. */
export type TomlValue =
  string | number | boolean | readonly TomlValue[] | { readonly [key: string]: TomlValue };
export type TomlTables = Readonly<Record<string, Readonly<Record<string, TomlValue>>>>;

/** Writes tables by their dotted names. JSON's spelling of strings, numbers, booleans and arrays is valid TOML. */
export function toToml(tables: TomlTables): string {
  const lines = Object.entries(tables).flatMap(([name, entries]) => [
    `[${name}]`,
    ...Object.entries(entries).map(([key, value]) => `${JSON.stringify(key)} = ${inline(value)}`),
    '',
  ]);
  return lines.join('\n');
}

function inline(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, item]) => `${key} = ${inline(item)}`);
  return `{ ${pairs.join(', ')} }`;
}
