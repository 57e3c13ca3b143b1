/** Every ready-made study is a valid one, of every kind of scenario that is shipped. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { newDocument, scenarioKindNames, validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { validateStudy } from '../../../../../electron/contract/study/index.ts';
import { pathsOfAxis, withKinds } from '../../../../../renderer/panels/studies/new-study/axis-draft.ts';
import {
  type ReadyMade,
  readyMade,
  type StudySubject,
} from '../../../../../renderer/panels/studies/new-study/ready-made.ts';

const variant = (workload: string, id: string, rest: object = {}) => ({
  ...{ id, workload, bench: '', title: id, changes: '', buildsOn: null, device: 'cpu' as const },
  ...{ precisions: ['fp32'], available: true, reason: null, source: '' },
  ...rest,
});

const capabilities: StudySubject['capabilities'] = {
  cpu: { name: 'cpu', logicalCores: 6, isa: 'avx2', memory_bytes: 2 ** 34, os: 'Linux' },
  variants: [
    ...scenarioKindNames.flatMap((kind) => [variant(kind, `${kind}-a`), variant(kind, `${kind}-b`)]),
    variant('transport', 'reference'),
    variant('transport', 'cuda-window', { available: false, reason: 'no GPU' }),
    variant('micro', 'other', { bench: 'reduction' }),
  ],
};

const complete = {
  ...newDocument('transport'),
  beam: { energy_MeV: 70 },
  grid: { dx_mm: 0.5, dz_mm: 0.2, dtheta_mrad: 5, energy: { kind: 'range', step_mm: 0.2 } },
  solver: { variant: 'auto', threads: 0 },
};
const offers: StudySubject['offers'] = {
  tunable: ['transport-a', 'transport-b'],
  claims: [
    { claim: 'Fusion', variants: ['transport-a', 'transport-b'] },
    { claim: 'Tiling', variants: ['transport-b', 'transport-c'] },
  ],
};
const draft = { ...newDocument('transport'), geometry: { depth_mm: 50, width_mm: 40 }, grid: { dx_mm: 0.5 } };

const named = (all: readonly ReadyMade[], id: string): ReadyMade => {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no ready-made study ${id}`);
  return found;
};

describe('of a beam', () => {
  const all = readyMade({ draft, complete, capabilities, offers });

  test('which are offered', () => {
    expect(all.map(({ id }) => id)).toEqual([
      ...['convergence', 'range-table', 'variants', 'threads', 'claims', 'tune'],
    ]);
  });

  test('convergence: all steps together, then each alone, errors against the finest', () => {
    const { axes, reference, base } = named(all, 'convergence');
    expect(axes[0]).toMatchObject({
      kind: 'zip',
      axes: [
        { path: 'grid.dz_mm', values: [0.4, 0.2, 0.1, 0.05, 0.1, 0.2, 0.2, 0.2] },
        { path: 'grid.dx_mm', values: [1, 0.5, 0.25, 0.125, 0.5, 0.25, 0.5, 0.5] },
        { path: 'grid.dtheta_mrad', values: [10, 5, 2.5, 1.25, 5, 5, 2.5, 5] },
        { path: 'grid.energy.step_mm', values: [0.4, 0.2, 0.1, 0.05, 0.2, 0.2, 0.2, 0.1] },
      ],
    });
    expect(reference).toEqual({
      'grid.dz_mm': 0.05,
      'grid.dx_mm': 0.125,
      'grid.dtheta_mrad': 1.25,
      'grid.energy.step_mm': 0.05,
    });
    expect(withKinds(base, complete, axes.flatMap(pathsOfAxis))).toMatchObject({ grid: { energy: { kind: 'range' } } });
  });

  test('range table: no box or grid that fits one energy only', () => {
    const { base } = named(all, 'range-table');
    expect(base).not.toHaveProperty('grid');
    expect(base['geometry']).toEqual({ width_mm: 40 });
  });

  test('variants that run here, alone and repeated; threads up to all of them', () => {
    expect(named(all, 'variants')).toMatchObject({
      axes: [{ values: ['transport-a', 'transport-b'] }],
      timing: 'alone',
      repeats: 5,
    });
    expect(named(all, 'threads').axes).toEqual([{ kind: 'list', path: 'solver.threads', values: [1, 2, 4, 6] }]);
  });
});

test('claims: both variants of each, over what their size goes with; none before the host has answered', () => {
  const found = named(readyMade({ draft, complete, capabilities, offers }), 'claims');
  expect(found.asks).toContain('Fusion, Tiling');
  expect(found.base).not.toHaveProperty('grid');
  expect(found).toMatchObject({
    ...{ timing: 'alone', repeats: 5 },
    axes: [
      { path: 'solver.variant', values: ['transport-a', 'transport-b', 'transport-c'] },
      { path: 'beam.energy_MeV', values: [70, 110, 150, 190] },
    ],
  });
  const product = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 4096, n: 4096, k: 4096 } };
  const sized = named(readyMade({ draft: product, complete: product, capabilities, offers }), 'claims');
  expect(sized.axes[1]).toMatchObject({ path: 'problem.m+problem.n+problem.k', values: [64, 256, 1024, 4096] });
  const unasked = readyMade({ draft, complete, capabilities, offers: null }).map(({ id }) => id);
  expect(unasked).not.toContain('claims');
  expect(unasked).not.toContain('tune');
});

test('tuning: the kernel of the form where it can be tuned, within minutes', () => {
  const asked = { ...complete, solver: { variant: 'transport-a', threads: 0 } };
  expect(named(readyMade({ draft, complete: asked, capabilities, offers }), 'tune')).toMatchObject({
    axes: [{ kind: 'tunables', variants: ['transport-a'] }],
    search: { strategy: 'local' },
    budget: { minutes: 10 },
  });
  expect(named(readyMade({ draft, complete, capabilities, offers }), 'tune').axes).toEqual([
    { kind: 'tunables', variants: ['transport-b'] },
  ]);
});

test.each(scenarioKindNames)('%s: each is valid, for the shipped scenario and for one with errors', (kind) => {
  const folder = path.resolve(import.meta.dirname, '../../../../../assets/scenarios');
  const file = {
    transport: 'water-70MeV.json',
    diffraction: 'diffraction/simple-cubic-1024.json',
    'linear-relu': 'linear-relu/layer-1024.json',
    micro: 'micro/reduction.json',
    'user-problem': '../problems/softmax-rows/problem.json',
  }[kind];
  const shipped = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as ReturnType<typeof newDocument>;
  const { filled } = validateScenario(shipped);
  const solved = kind === 'transport' ? complete : filled;
  const made = readyMade({ draft: shipped, complete: solved, capabilities, offers });
  expect(made.length).toBeGreaterThan(0);
  for (const { id: _id, title: _title, asks: _asks, base, ...rest } of made) {
    const { study, faults } = validateStudy({ kind: 'study', version: 1, base: [{ scenario: base }], ...rest });
    expect(faults).toEqual([]);
    expect(study).not.toBeNull();
  }
  for (const { axes } of readyMade({ draft: shipped, complete: null, capabilities, offers: null }))
    expect(axes.length).toBe(1);
});
