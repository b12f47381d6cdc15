import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { COVERAGE_PAGE, renderCoverage } from '../fixtures/coverage-page.js';
import { entriesOf, vectorFiles, type Coverage, type CoverageRow } from '../fixtures/coverage.js';
import { loadFixture } from '../fixtures/load-fixture.js';

const coverage = loadFixture<Coverage>('coverage');
const rows = Object.entries(coverage.vectors).flatMap(([file, sections]) =>
  Object.entries(sections).flatMap(([section, list]) => list.map((row) => ({ file, section, row }))),
);
const REPOSITORY = new URL('../../../', import.meta.url);
/** What a recording says where the peer failed. */
const DEFECT = /defect|broken|crash/i;

function rowOf(file: string, section: string, entry: string): CoverageRow | undefined {
  return coverage.vectors[file]?.[section]?.find((row) => row.entry === entry);
}

describe('the table of vectors', () => {
  it.each(vectorFiles())('has a row for each entry of %s.json, and no other', (file) => {
    const entries = entriesOf(file).map(({ section, entry }) => `${section}: ${entry}`);
    const listed = rows
      .filter((one) => one.file === file)
      .map(({ section, row }) => `${section}: ${row.entry}`);
    expect(listed.toSorted()).toEqual(entries.toSorted());
  });

  it('is about vectors that exist', () => {
    expect(Object.keys(coverage.vectors).toSorted()).toEqual(vectorFiles().toSorted());
  });

  it('compares in ways it explains, and explains none that it does not use', () => {
    const used = new Set(rows.map(({ row }) => row.compared));
    expect([...used].toSorted()).toEqual(Object.keys(coverage.comparisons).toSorted());
  });

  it('names proofs that it lists, and lists none that it does not name', () => {
    const used = new Set(rows.flatMap(({ row }) => row.proven ?? []));
    expect([...used].toSorted()).toEqual(Object.keys(coverage.proofs).toSorted());
  });

  it.each(Object.entries(coverage.proofs))('%s is a test that there is', (_id, { file, test }) => {
    const url = new URL(file, REPOSITORY);
    expect({ file, exists: existsSync(url) }).toEqual({ file, exists: true });
    const titles = [`'${test}'`, `"${test}"`, `\`${test}\``, `'${test.replaceAll("'", String.raw`\'`)}'`];
    const source = readFileSync(url, 'utf8');
    expect({ test, found: titles.some((title) => source.includes(title)) }).toEqual({ test, found: true });
  });

  it('proves every entry through a running service, or says why there is none', () => {
    const unproven = rows.filter(({ row }) => {
      const services = (row.proven ?? []).filter((id) => coverage.proofs[id]?.through !== 'codec');
      return services.length === 0 && row.apart === undefined;
    });
    expect(unproven).toEqual([]);
  });

  it('leaves nothing apart but what was recorded of peers, or describes one', () => {
    const apart = rows.filter(({ row }) => row.apart !== undefined && row.compared !== 'note');
    expect(apart).toEqual([]);
  });

  it('says what ours does instead wherever a recording shows a defect', () => {
    const silent = vectorFiles().flatMap((file) =>
      entriesOf(file).filter(({ section, entry, value }) => {
        const { note = '', status, status_line: line } = value as Readonly<Record<string, unknown>>;
        const isDefect = DEFECT.test(String(note)) || status === 500 || line !== undefined;
        const row = rowOf(file, section, entry);
        return isDefect && row?.better === undefined && row?.apart === undefined;
      }),
    );
    expect(silent).toEqual([]);
  });

  it('is what the page shows', () => {
    expect(readFileSync(COVERAGE_PAGE, 'utf8')).toBe(renderCoverage(coverage));
  });
});
