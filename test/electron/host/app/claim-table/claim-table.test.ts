/** The table of published claims is whole: every row can be run, has its claims, and what was recorded is read. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordedAgain } from '../../../../../electron/contract/bench/recorded-names.mjs';
import { formatIssue } from '../../../../../electron/contract/scenario/index.ts';
import { claimTable, partsOf, readClaimTable } from '../../../../../electron/host/app/claim-table/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { readClaimsOf, readTaskClaims } from '../../../../../electron/host/model/bench/index.ts';
import { baselinesFor, readRegistry } from '../../../../../electron/host/model/external/registry.ts';
import {
  type AnyReading,
  problemOf,
  type TaskReading,
} from '../../../../../electron/host/workloads/scenarios/index.ts';
import { parseTaskSession } from '../../../../../electron/host/workloads/task/session-file.ts';
import { assetsFolder, openTestScenarios } from '../../small-run.ts';

const addon = loadAddon();
const rows = await readClaimTable(assetsFolder);
const scenarios = await openTestScenarios(addon);
const benches = Map.groupBy(addon.taskVariants('micro'), ({ bench }) => bench);

async function readMicro(file: string): Promise<TaskReading | null> {
  const reading: AnyReading = await scenarios.any.read(join(assetsFolder, 'scenarios', file));
  expect(reading.issues.filter(({ severity }) => severity === 'error').map(formatIssue)).toEqual([]);
  return reading.kind === 'micro' ? reading : null;
}

test('the table has the rows 1 to 32, and the scenarios of small workloads are all in it', () => {
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
  const all = rows.flatMap((row) => row.scenarios).filter((file) => file.startsWith('micro/'));
  const listed = [...new Set(all)];
  const shipped = readdirSync(join(assetsFolder, 'scenarios/micro')).map((file) => `micro/${file}`);
  expect(listed.toSorted()).toEqual(shipped.toSorted());
});

const registry = await readRegistry(assetsFolder);

test('every bench of the engine has a scenario, and every claim names variants that its bench has', async () => {
  const seen = new Set<string>();
  for (const file of new Set(rows.flatMap((row) => row.scenarios))) {
    const reading = await readMicro(file);
    if (reading === null) continue;
    const problem = problemOf(reading);
    seen.add(problem.bench);
    const variants = benches.get(problem.bench)?.map(({ id }) => id) ?? [];
    const programs = baselinesFor(registry, { workload: 'micro', bench: problem.bench }).map(({ id }) => id);
    const known = [...variants, ...programs];
    expect(variants.length, file).toBeGreaterThanOrEqual(2);
    const claims = await readTaskClaims(assetsFolder, problem);
    // Claims about launches are decided by microseconds: they do not apply to longer kernels, so this file may have
    // none.
    expect(claims.length, file).toBeGreaterThanOrEqual(file === 'micro/launch.json' ? 0 : 1);
    for (const { pairs, values, across, reason, from, to, about } of claims) {
      const named = [
        ...pairs.flatMap(({ slower, faster }) => [slower.variant, faster.variant]),
        ...values.flatMap(({ variant, over }) => (over === undefined ? [variant] : [variant, over])),
        ...across.map(({ variant }) => variant),
      ];
      expect(known).toEqual(expect.arrayContaining(named));
      expect(named.length === 0).toBe(reason !== null);
      expect(from).toBeLessThanOrEqual(to ?? Number.POSITIVE_INFINITY);
      if (reason === null) expect(about?.what ?? '', file).not.toBe('');
    }
  }
  // A user kernel from scratch has a scenario of its own.
  expect([...seen, 'own'].toSorted()).toEqual([...benches.keys()].toSorted());
});

describe('a claim speaks of the values that it names', () => {
  const about = { workload: 'micro', bench: 'coalescing', words: { order: 'forward' } };
  const ids = async (numbers: Record<string, number>, words: Record<string, string> = about.words) =>
    (await readTaskClaims(assetsFolder, { ...about, numbers, words })).map(({ id }) => id);

  test('a range of a number, and a word', async () => {
    expect(await ids({ stride: 1, element_bytes: 4 })).toEqual(['coalescing']);
    expect(await ids({ stride: 2, element_bytes: 4 })).toEqual(['coalescing']);
    expect(await ids({ stride: 32, element_bytes: 4 })).toEqual(['coalescing', 'uncoalesced']);
    expect(await ids({ stride: 1, element_bytes: 4 }, { order: 'random' })).toEqual(['random', 'uncached']);
    expect(await ids({})).toEqual(['coalescing']);
  });
});

describe('a mistake in a row is named with its place, value and what is allowed', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ kind: 'coalescing', stride: 65 }, 'problem.stride: 65 is too large; allowed: a whole number, 1 to 64'],
    [{ kind: 'coalescing', element_bytes: 5 }, 'problem.element_bytes: 5'],
    [{ kind: 'histogram', bins: 0 }, 'problem.bins: 0 is too small; allowed: a whole number, 1 to 1e7'],
    [{ kind: 'histogram', distribution: 'normal' }, 'problem.distribution: "normal"'],
    [{ kind: 'few-threads', threads: 1.5 }, 'problem.threads: 1.5'],
    [{ kind: 'compaction', kept: 2 }, 'problem.kept: 2 is too large; allowed: 0 to 1'],
    [{ kind: 'spmv', matrix: 'pentadiagonal' }, 'problem.matrix: "pentadiagonal"'],
    [{ kind: 'spmv', row: 5 }, 'problem.row'],
    [{ kind: 'lunch' }, 'problem.kind: "lunch" is not known (did you mean launch?)'],
  ];
  test.each(cases)('%j', async (problem, wanted) => {
    const text = JSON.stringify({ kind: 'micro', version: 1, problem });
    const reading = await scenarios.any.parse(text, { name: 's', folder: null });
    expect(reading.issues.map(formatIssue).join('\n')).toContain(wanted);
  });
});

/** Variants that are shown to be wrong: ignored strides of a view, and fewer digits than FP32. */
const WRONG: Readonly<Record<string, readonly string[]>> = {
  'micro/views.json': ['cpu-ignored', 'cuda-ignored'],
  'micro/scattering.json': ['cuda-tf32', 'cuda-bf16'],
};

test('what was recorded was on an H200 or an H100, is of a row, and wrong only where that is what it shows', () => {
  const recorded = readdirSync(join(assetsFolder, 'runs/micro')).map((file) => `micro/${file}`);
  const listed = rows.flatMap((row) => row.sessions.flatMap((file) => [file, ...recordedAgain(file)]));
  expect(recorded.length).toBeGreaterThanOrEqual(25);
  for (const session of recorded.filter((file) => !/^micro\/(h[12]00-)?sweep-/.test(file))) {
    expect(listed).toContain(session);
    const path = join(assetsFolder, 'runs', session);
    expect(statSync(path).size).toBeLessThan(200_000);
    const [report] = parseTaskSession(readFileSync(path, 'utf8'), session).reports;
    expect(report?.machine.gpu?.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
    const measured = report?.entries.filter((entry) => entry.status === 'measured') ?? [];
    expect(measured.length, session).toBeGreaterThanOrEqual(2);
    const wrong = measured.filter(({ verdict }) => verdict === 'wrong').map(({ label }) => label);
    expect(wrong).toEqual(WRONG[session.replace(/\/h[12]00-/, '/')] ?? []);
  }
});

test('what was recorded is read: the row of all optimisations points to the sessions of transport', async () => {
  const last = (await claimTable(assetsFolder)).find(({ row }) => row === 25);
  const findings = last?.claims.flatMap((claim) => claim.findings).filter(({ value }) => value !== null) ?? [];
  expect(findings.length).toBeGreaterThanOrEqual(3);
  for (const { session, file, value, verdict } of findings) {
    expect(session).toBe(`recorded~${file}`);
    expect(file).toMatch(/^(h200-|transport\/h[12]00-)/);
    expect(value).toBeGreaterThan(0);
    expect(['as claimed', 'less', 'more']).toContain(verdict);
  }
});

test('every claim belongs to a row, or to the sessions of its workload alone', async () => {
  const inRows = new Set(
    rows.flatMap((row) =>
      partsOf(row).flatMap(({ workload, bench, ids }) => ids.map((id) => `${workload} ${bench} ${id}`)),
    ),
  );
  for (const bench of benches.keys())
    for (const { id } of await readClaimsOf(assetsFolder, { workload: 'micro', bench }))
      expect(inRows, `micro ${bench} ${id}`).toContain(`micro ${bench} ${id}`);
});

test('bandwidths are those of all rounds, as in the report: one launch alone moves a third to nine tenths of it', async () => {
  const session = parseTaskSession(readFileSync(join(assetsFolder, 'runs/micro/bandwidth.json'), 'utf8'), 'bandwidth');
  const entry = session.reports[0]?.entries.find(({ label }) => label === 'cuda-shared');
  if (entry?.status !== 'measured') throw new Error('it was measured');
  const table = await claimTable(assetsFolder);
  const claim = table.flatMap(({ claims }) => claims).find(({ id, bench }) => bench === 'bandwidth' && id === 'shared');
  const found = claim?.findings.find(({ file }) => file === 'micro/bandwidth.json');
  expect(found?.value).toBeCloseTo((10 * 12 * 64e6) / entry.time_s / 1e9, 6);
});
