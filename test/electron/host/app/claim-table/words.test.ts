/** What claims and names say is what their pairs and sessions hold. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findingsOfRow, readClaimTable } from '../../../../../electron/host/app/claim-table/index.ts';
import { parseKeptSession } from '../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import {
  type Claim,
  claimResults,
  readClaims,
  readClaimsOf,
  readTaskClaims,
  transportTimes,
} from '../../../../../electron/host/model/bench/claims.ts';
import { imageClaims } from '../../../../../electron/host/workloads/diffraction/claims.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/index.ts';
import { taskClaims } from '../../../../../electron/host/workloads/task/claims.ts';
import { assetsFolder, openTestScenarios } from '../../small-run.ts';

const runs = path.join(assetsFolder, 'runs');
const recorded = readdirSync(runs, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
const kept = (file: string) => parseKeptSession(readFileSync(path.join(runs, file), 'utf8'), file);
const about = (workload: string, bench = '') => readClaimsOf(assetsFolder, { workload, bench });
const rows = await readClaimTable(assetsFolder);
const row = (number: number) => {
  const found = rows.find((one) => one.row === number);
  if (found === undefined) throw new Error(`no row ${number}`);
  return found;
};

test('the naive layer is claimed to be slower than the library, and the larger layer is as claimed', async () => {
  const layer = await about('linear-relu');
  const claim = layer.find(({ id }) => id === 'fused-naive-slower');
  expect([claim?.from, claim?.to]).toEqual([45.5, 200]);
  expect(claim?.pairs.map(({ slower, faster }) => [slower.variant, faster.variant])).toEqual([
    ['cuda-naive', 'cuda-cublas'],
  ]);
  // Nothing claims that a library is slower than the naive kernel.
  expect(layer.flatMap(({ pairs }) => pairs).filter(({ faster }) => faster.variant === 'cuda-naive')).toEqual([]);
  const gains = ['layer-1024', 'layer-8192'].map((name) => {
    const session = kept(`linear-relu/${name}.json`);
    if (session.format !== 'braggbench-task-session') throw new Error(name);
    const [report] = session.reports;
    const [pair] = report?.claims.find(({ id }) => id === 'fused-naive-slower')?.pairs ?? [];
    return [pair?.gain?.value.toFixed(1), pair?.verdict];
  });
  expect(gains).toEqual([
    ['26.5', 'less'],
    ['53.5', 'as claimed'],
  ]);
});

test('the goal of a fused kernel, 1.1 to 1.2 times the library, is a claim', async () => {
  const goal = (await about('linear-relu')).find(({ id }) => id === 'fused-goal');
  expect([goal?.from, goal?.to]).toEqual([1.1, 1.2]);
  expect(goal?.pairs.map(({ slower }) => slower.variant)).toEqual(['cuda-cublas', 'cuda-cublas']);
});

test('no claim compares whole runs of FP32 and FP64 images: they differ by how an image is read back', async () => {
  const single = /fp32|delta|naive/;
  for (const { id, pairs } of await about('diffraction'))
    for (const { slower, faster } of pairs) {
      if (slower.clock === 'counted' && faster.clock === 'counted') continue;
      expect(
        [slower, faster].filter(({ variant }) => single.test(variant)),
        id,
      ).toEqual([]);
    }
});

test('what is claimed of PyTorch and of the C program has no verdict from programs that are neither', async () => {
  const claims = (await about('diffraction')).filter(({ claim }) => /C program/.test(claim) && !/^Fusing/.test(claim));
  expect(claims.length).toBeGreaterThanOrEqual(7);
  for (const { pairs, reason } of claims) {
    expect(pairs).toEqual([]);
    expect(reason).toMatch(/C program is (not )?run here/);
  }
});

test('the row of FP64 tells of FP64, of consumer GPUs, and holds transport too', async () => {
  expect(row(24).claim).toContain('consumer GPUs');
  const findings = await findingsOfRow(assetsFolder, row(24));
  expect(findings.filter(({ by }) => by?.includes('double-float'))).toEqual([]);
  const transport = findings.filter(({ session }) => session.startsWith('h200-'));
  expect(transport.map(({ by, value }) => [by, value?.toFixed(2)])).toContainEqual([
    'cuda-fused@fp64 → cuda-fused',
    '3.49',
  ]);
});

test('every recorded sweep belongs to a row', () => {
  const listed = rows.flatMap(({ sessions }) => sessions);
  const sweeps = recorded.filter((file) => file.startsWith('micro/sweep-'));
  expect(sweeps.length).toBeGreaterThan(15);
  expect(sweeps.filter((file) => !listed.includes(file))).toEqual([]);
});

describe('recorded sessions', () => {
  test('that were changed by --set say so in their names', () => {
    for (const file of recorded) {
      const { command, reports } = kept(file);
      for (const [, at, value] of command.matchAll(/--set (\S+?)=(\S+)/g))
        for (const { scenario } of reports) expect(scenario, file).toContain(`${at} = ${value}`);
    }
    expect(kept('h200-dense-144M.json').reports[0]?.scenario).toContain('geometry.width_mm = 200');
  });

  test('hold the claims of today, judged from their samples', async () => {
    const addon = loadAddon();
    const scenarios = await openTestScenarios(addon);
    const transport: readonly Claim[] = await readClaims(assetsFolder);
    const images = await about('diffraction');
    for (const file of recorded) {
      const session = kept(file);
      if (session.format === 'braggbench-session')
        for (const { claims, entries, seed } of session.reports)
          expect(claimResults(transport, transportTimes(entries), seed), file).toEqual(claims);
      else if (session.format === 'braggbench-image-session')
        for (const report of session.reports) expect(imageClaims(images, report), file).toEqual(report.claims);
      else
        for (const { claims, entries, seed, document } of session.reports) {
          const reading = await scenarios.any.parse(JSON.stringify(document), { name: 'session.json', folder: null });
          if (reading.kind !== 'micro' && reading.kind !== 'linear-relu') throw new Error(file);
          const about = await readTaskClaims(assetsFolder, problemOf(reading));
          expect(taskClaims(about, entries, seed), file).toEqual(claims);
        }
    }
  }, 60_000);
});
