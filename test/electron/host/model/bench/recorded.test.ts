/** Sessions recorded on an H200 reopen without a GPU and give the same report. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { gpuTargets, readSessions } from '../../../../../electron/build/bench/targets.mjs';
import { benchReport } from '../../../../../electron/cli/reports/bench-report.ts';
import { fittedLine, type Session } from '../../../../../electron/contract/bench/session.ts';
import { reportRows } from '../../../../../electron/host/app/compare/rows.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../../electron/host/app/sessions/index.ts';
import { judgeClaims } from '../../../../../electron/host/model/bench/claim-results.ts';
import { readBenchmarkClaims } from '../../../../../electron/host/model/bench/claims.ts';
import { sampleFlag } from '../../../../../electron/host/model/bench/comparison.ts';
import { roofline } from '../../../../../electron/host/model/bench/entry.ts';
import { collectMeasurements } from '../../../../../electron/host/model/bench/report-claims.ts';
import { readSessionFileText, sessionText } from '../../../../../electron/host/model/bench/session-file.ts';
import { unpairedRatioInterval } from '../../../../../electron/host/model/bench/statistics.ts';
import { fitLine } from '../../../../../electron/host/model/bench/sweep.ts';
import { assetsFolder } from '../../small-run.ts';

/** Date in the form of `23 Nov 2026`. */
const dayOf = (iso: string): string => `${Number(iso.slice(8, 10))} Nov ${iso.slice(0, 4)}`;

const folder = path.join(assetsFolder, 'runs');
const files = readdirSync(folder);
const sessions = files.filter((name) => name.endsWith('.json'));
const wide = { style: (_style: string, text: string): string => text, wide: true };
const current = await readCurrentRules(assetsFolder);
const readSession = async (file: string) => parseSession(await readSessionFileText(file), file);
const readRecorded = (name: string): Promise<Session> => readSession(path.join(folder, name));
const textOf = async (name: string): Promise<string> => {
  const session = deriveSession(await readSession(path.join(folder, name)), current);
  const each = session.reports.map(async (report, i) =>
    benchReport(report, wide, session, await reportRows(session, i)),
  );
  return (await Promise.all(each)).flat().join('\n');
};

test('recorded sessions are small', () => {
  expect(sessions.length).toBeGreaterThanOrEqual(6);
  for (const name of files) expect(statSync(path.join(folder, name)).size, name).toBeLessThanOrEqual(2e6);
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const bytes = all.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  expect(all.length).toBeGreaterThan(150);
  expect(bytes).toBeLessThanOrEqual(12e6);
});

describe.for(sessions)('%s', (name) => {
  test('reopens unchanged, and every variant is printed', async () => {
    const session = await readRecorded(name);
    expect(sessionText(session)).toBe(readFileSync(path.join(folder, name), 'utf8'));
    const text = await textOf(name);
    for (const { entries } of session.reports) for (const { label } of entries) expect(text).toContain(label);
    const commit = session.reports[0]?.program?.commit ?? '';
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
    expect(text).toContain(
      `NVIDIA H200 · driver 580.159.04 · 1\u202f980 MHz · braggbench 0.1.0 · commit ${commit.slice(0, 9)} · ${dayOf(session.created)}`,
    );
    // End-to-end runs of other programs were not timed, so that their rows have a dash in that column.
    for (const { title } of session.reports.flatMap(({ external }) => external))
      expect(text).toMatch(new RegExp(`^${title} +(slower|undecided|wrong) +–( +–)? .* [\\d.]+ ms .* [\\d.]+×`, 'm'));
  });
});

test('a report gives the reason for each answer that is not correct, and for each share above 100 %', async () => {
  const session = await readRecorded('h200-uniform-grid-70MeV.json');
  const [report] = session.reports;
  const entry = report?.entries.find((one) => one.status === 'measured');
  if (report === undefined || entry?.status !== 'measured') throw new Error('nothing was measured');
  const of = async (more: Partial<typeof entry>): Promise<string> => {
    const changed = { ...report, entries: [{ ...entry, ...more }] };
    const rows = await reportRows({ ...session, reports: [changed] }, 0);
    return benchReport(changed, wide, session, rows).join('\n');
  };
  const [check] = entry.accuracy;
  if (check === undefined) throw new Error('nothing was compared');
  const wrong = [{ ...check, holds: false, tip: 'dose[3] is 2, expected 1' }];
  expect(await of({ verdict: 'wrong', accuracy: wrong })).toContain(
    `${entry.label}: wrong. dose[3] is 2, expected 1.\n`,
  );
  expect(await of({})).not.toContain(`${entry.label}: wrong`);
  const rates = { bytes_per_s: 9e12, flops_per_s: 1e12, flops_per_byte: 0.1, share_of_flops: 0.5 };
  expect(await of({ roofline: { ...rates, share_of_copy: 1.34 } })).toContain(
    `${entry.label}: Above 100 % of the copy rate: `,
  );
  expect(await of({ roofline: { ...rates, share_of_copy: 0.99 } })).not.toContain('Above 100 %');
});

test('a candidate with more steps is marked', async () => {
  const session = await readRecorded('h200-uniform-grid-70MeV.json');
  const [report] = session.reports;
  const other = report?.entries.find(({ label }) => label === 'cupy-raw');
  if (report === undefined || other?.status !== 'measured') throw new Error('cupy-raw was not measured');
  const { title, device, precision, time_s, wall_s, setup_s, spread, size, accuracy, quantities } = other;
  const times = other.samples.map((sample) => sample.time_s);
  const result = {
    device,
    precision,
    time_s,
    wall_s: wall_s ?? 0,
    setup_s,
    spread,
    size,
    wrong: false,
    accuracy,
    quantities,
    times,
  };
  const apart = { ...report, external: [{ id: 'cupy-raw', title, reason: null, result }] };
  const text = benchReport(apart, wide, session, await reportRows({ ...session, reports: [apart] }, 0)).join('\n');
  expect(text).toMatch(/^cuda-window is \d+\.\d× .* as fast as CuPy, RawKernel, which takes 96 steps instead of 89$/m);
});

test('claims are judged again from the raw samples', async () => {
  const session = await readRecorded('h200-uniform-grid-70MeV.json');
  const [report] = session.reports;
  if (report === undefined) throw new Error('no report');
  const again = judgeClaims(
    await readBenchmarkClaims(assetsFolder, { workload: 'transport', bench: '' }),
    collectMeasurements(report),
  );
  expect(again.find(({ id }) => id === 'cuda-graphs')?.pairs[0]?.verdict).toBe('less');
  // The session has no variant that was compiled without fused multiply-add.
  const fma = again.find(({ id }) => id === 'fma')?.pairs.map(({ slower, verdict }) => [slower, verdict]);
  expect(fma?.[0]).toEqual(['cuda-gather[fmad=0]', 'not measured']);
  // Claims about CuPy are judged against its array program, which the session timed.
  const together = again.find(({ id }) => id === 'all-together')?.pairs.find(({ slower }) => slower === 'cupy-array');
  expect(together?.gain?.value.toFixed(1)).toBe('37.9');
  expect(together?.verdict).toBe('as claimed');
});

test('targets are evaluated from the files alone', () => {
  const targets = gpuTargets(readSessions(folder));
  expect(targets.every(({ measured }) => measured !== null)).toBe(true);
  expect(targets.find(({ what }) => what === 'variants that fail the parity check')?.met).toBe(true);
});

test('a session is unchanged after writing and reading, and foreign files are rejected', async () => {
  const scratch = await mkdtemp(path.join(tmpdir(), 'bench-'));
  try {
    const session = await readSession(path.join(folder, 'h200-water-70MeV.json'));
    const file = path.join(scratch, 'a.json');
    await writeFile(file, sessionText(session));
    expect(await readSession(file)).toEqual(session);
    await writeFile(file, '{"format":"other"}');
    await expect(readSession(file)).rejects.toThrow('is not a Braggbench benchmark');
    await writeFile(file, '{"form');
    await expect(readSession(file)).rejects.toThrow('is not JSON');
    await writeFile(file, JSON.stringify({ ...session, reports: [] }));
    await expect(readSession(file)).rejects.toThrow('cannot be read as a benchmark: reports');
    await expect(readSession(path.join(scratch, 'none.json'))).rejects.toThrow('does not exist');
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});

describe('parts of a report', () => {
  test('a sweep along an exact line returns that line', () => {
    const points = [1e6, 4e6, 9e6].map((cells) => ({ cells, time_s: 0.002 + 3e-9 * cells }));
    expect(fitLine(points)?.fixed_s).toBeCloseTo(0.002, 12);
    expect(fitLine(points)?.slope_s_per_cell).toBeCloseTo(3e-9, 18);
    expect(fitLine(points.slice(0, 1))).toBeNull();
  });

  test('a sweep whose times are not linear in size has no fixed cost and no slope', () => {
    const fitOf = (...times_s: readonly number[]) => {
      const points = times_s.map((time_s, i) => ({
        ...{ value: i + 1, size: i + 1, time_s, setup_s: 0, setup_share: 0, rate: null },
      }));
      const fit = fitLine(points.map(({ size, time_s }) => ({ cells: size, time_s })));
      return { label: 'a', points, fixed_s: fit?.fixed_s ?? null, slope_s: fit?.slope_s_per_cell ?? null };
    };
    // 1 s fixed, and 2 s per unit of size.
    const line = fittedLine(fitOf(3, 5, 7));
    expect([line?.fixed_s, line?.slope_s].map((value) => value?.toFixed(9))).toEqual(['1.000000000', '2.000000000']);
    // No line fits: a parabola has a negative cost at size zero, a falling time a negative slope, and a jump misses its
    // points.
    expect([fitOf(1, 4, 9), fitOf(3, 2, 1), fitOf(1, 1, 1, 8), fitOf(3)].map(fittedLine)).toEqual(Array(4).fill(null));
  });

  test('throttling and clock drops flag a sample', () => {
    const clock = { sm_MHz: 1900, memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null };
    const free = { ...clock, reasons: ['idle'], throttled: false };
    expect(sampleFlag({ before: free, after: free }, 1950)).toBeNull();
    expect(sampleFlag({ before: free, after: free }, 1980)).toBe('clock at 1900 MHz, below the highest of 1980 MHz');
    const hot = { ...clock, reasons: ['idle', 'software-thermal'], throttled: true };
    expect(sampleFlag({ before: free, after: hot }, 1950)).toBe('software-thermal');
    expect(sampleFlag({ before: null, after: null }, null)).toBeNull();
  });

  test('the roofline counts declared bytes and FLOPs', async () => {
    const session = await readRecorded('h200-dense-36M.json');
    const ceilings = session.reports[0]?.machine.gpu?.ceilings ?? null;
    if (ceilings === null) throw new Error('no ceilings');
    const work = { bytes: 8e9, fp32_flops: 16e9, fp64_flops: null, other_flops: null };
    const found = roofline(work, 16e9 / ceilings.copy_bytes_per_s, ceilings);
    expect(found?.share_of_copy).toBeCloseTo(0.5, 12);
    expect(found?.flops_per_byte).toBe(2);
    expect(roofline(work, 1, null)).toMatchObject({ bytes_per_s: 8e9, share_of_copy: null });
  });

  test('unpaired intervals contain the true ratio', () => {
    const interval = unpairedRatioInterval([4, 4.1, 3.9, 4.05, 3.95], [1, 1.02, 0.98, 1.01], 1);
    expect(interval?.low).toBeLessThan(4);
    expect(interval?.high).toBeGreaterThan(4);
    expect(unpairedRatioInterval([4], [1, 1], 1)).toBeNull();
  });
});
