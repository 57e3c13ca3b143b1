/**
 * A study either measures energy or solves several points at once; the last choice applies. Every prepared study is
 * valid, for every shipped kind of scenario.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { newDocument, scenarioKindNames, validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { validateStudy } from '../../../../../electron/contract/study/index.ts';
import {
  type AxisDraft,
  axisAround,
  axisIssue,
  axisOf,
  defaultAxisPath,
  parseValueList,
  pathsIn,
  pathsOfAxis,
  unitAt,
  valueCount,
  withKinds,
} from '../../../../../renderer/panels/studies/new-study/axis-draft.ts';
import {
  type StudySubject,
  type StudyTemplate,
  studyTemplates,
} from '../../../../../renderer/panels/studies/new-study/ready-made.ts';
import { emptyForm, withMeasures, withTiming } from '../../../../../renderer/panels/studies/new-study/study-form.ts';

describe('the form of a new study', () => {
  test('energy is measured with one point at a time, and several at a time have no energy', () => {
    const requested = withMeasures(emptyForm, ['times', 'energy']);
    expect(requested).toMatchObject({ timing: 'alone', measures: ['times', 'energy'] });
    expect(withTiming(requested, 'shared')).toMatchObject({ timing: 'shared', measures: ['times'] });
    expect(withTiming(requested, 'alone')).toEqual(requested);
    expect(withMeasures(emptyForm, ['times'])).toMatchObject({ timing: 'shared' });
  });
});

describe('the draft of an axis', () => {
  const range: AxisDraft = {
    id: 1,
    path: 'beam.energy_MeV',
    kind: 'range',
    values: '',
    from: '60',
    to: '80',
    count: '5',
  };

  test('is the energy at first, or otherwise the first number with a sensible neighbourhood', () => {
    const complete = { beam: { range_is: 'r80', energy_sigma_MeV: 0, x_sigma_mm: 3, energy_MeV: 70 } };
    expect(defaultAxisPath(complete, pathsIn(complete))).toBe('beam.energy_MeV');
    const other = { problem: { kind: 'stencil', offset: 0, n: 64 } };
    expect(defaultAxisPath(other, pathsIn(other))).toBe('problem.n');
    expect(defaultAxisPath({ a: 'b' }, pathsIn({ a: 'b' }))).toBe('a');
  });

  test('converts typed values to numbers if they are numbers', () => {
    expect(parseValueList(' 60, 7.5e1 ,fp32,true,, 0x10')).toEqual([60, 75, 'fp32', true, 16]);
    expect(parseValueList(' , ')).toEqual([]);
  });

  test('builds an axis, and reports its errors', () => {
    expect(axisOf(range)).toEqual({ kind: 'range', path: 'beam.energy_MeV', from: 60, to: 80, count: 5 });
    expect([valueCount(range), axisIssue(range)]).toEqual([5, null]);
    const list: AxisDraft = { ...range, kind: 'list', values: 'depth, window' };
    expect(axisOf(list)).toEqual({ kind: 'list', path: 'beam.energy_MeV', values: ['depth', 'window'] });
    expect([valueCount(list), axisIssue(list)]).toEqual([2, null]);
    expect(axisIssue({ ...list, values: ' ' })).toMatch(/Enter values/);
    expect(axisIssue({ ...range, from: '' })).toMatch(/numbers/);
    expect(axisIssue({ ...range, kind: 'log', from: '0' })).toMatch(/above 0/);
    expect(axisIssue({ ...range, count: '2.5' })).toMatch(/whole number/);
    expect(axisIssue({ ...range, path: 'beam..energy' })).toMatch(/parameter to vary/);
    expect(axisIssue({ ...range, path: 'grid.dx_mm + grid.dz_mm' })).toBeNull();
  });

  const document = newDocument('transport');
  const complete = {
    ...document,
    beam: { energy_MeV: 70, spots: [{ x_mm: 3 }] },
    grid: { dx_mm: 0.5, energy: { kind: 'range', step_mm: 0.2 } },
    solver: { variant: 'auto' },
  };

  test('lists paths to single values, without those that do not affect the answer', () => {
    expect(pathsIn({ ...complete, name: 'x', notes: 'y', output: { keyframes: 3 } })).toEqual([
      'beam.energy_MeV',
      'beam.spots[0].x_mm',
      'grid.dx_mm',
      'grid.energy.kind',
      'grid.energy.step_mm',
      'solver.variant',
    ]);
  });

  test('begins around the current value, in its unit', () => {
    expect(axisAround(3, complete, 'beam.energy_MeV')).toMatchObject({ id: 3, kind: 'range', from: '56', to: '84' });
    expect(axisAround(3, complete, 'solver.variant')).toMatchObject({ kind: 'list', values: 'auto' });
    expect(unitAt(complete, 'beam.energy_MeV')).toBe('MeV');
    expect(unitAt(complete, 'grid.dx_mm+grid.dz_mm')).toBe('mm');
    expect(unitAt(complete, 'solver.variant')).toBe('');
  });

  test('includes the kind of a default object for a value inside it', () => {
    expect(withKinds({ kind: 'transport' }, complete, ['grid.energy.step_mm', 'grid.dx_mm'])).toEqual({
      kind: 'transport',
      grid: { energy: { kind: 'range' } },
    });
    const own = { kind: 'transport', grid: { energy: { kind: 'uniform', step_MeV: 0.5 } } };
    expect(withKinds(own, complete, ['grid.energy.step_MeV'])).toEqual(own);
  });
});

describe('ready-made studies', () => {
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

  const named = (all: readonly StudyTemplate[], id: string): StudyTemplate => {
    const found = all.find((one) => one.id === id);
    if (found === undefined) throw new Error(`no ready-made study ${id}`);
    return found;
  };

  describe('ready-made studies of a beam', () => {
    const all = studyTemplates({ draft, complete, capabilities, offers });

    test('are these six, in this order', () => {
      expect(all.map(({ id }) => id)).toEqual([
        ...['convergence', 'range-table', 'variants', 'threads', 'claims', 'tune'],
      ]);
    });

    test('vary all steps together for convergence, then each alone, with errors relative to the finest', () => {
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
      expect(withKinds(base, complete, axes.flatMap(pathsOfAxis))).toMatchObject({
        grid: { energy: { kind: 'range' } },
      });
    });

    test('fix no box or grid that fits only one energy in the range table', () => {
      const { base } = named(all, 'range-table');
      expect(base).not.toHaveProperty('grid');
      expect(base['geometry']).toEqual({ width_mm: 40 });
    });

    test('include the variants that run here, alone and repeated, and threads up to all of them', () => {
      expect(named(all, 'variants')).toMatchObject({
        axes: [{ values: ['transport-a', 'transport-b'] }],
        timing: 'alone',
        repeats: 5,
      });
      expect(named(all, 'threads').axes).toEqual([{ kind: 'list', path: 'solver.threads', values: [1, 2, 4, 6] }]);
    });
  });

  test('study both variants of each claim over its size, and none before the host has answered', () => {
    const found = named(studyTemplates({ draft, complete, capabilities, offers }), 'claims');
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
    const sized = named(studyTemplates({ draft: product, complete: product, capabilities, offers }), 'claims');
    expect(sized.axes[1]).toMatchObject({ path: 'problem.m+problem.n+problem.k', values: [64, 256, 1024, 4096] });
    const unasked = studyTemplates({ draft, complete, capabilities, offers: null }).map(({ id }) => id);
    expect(unasked).not.toContain('claims');
    expect(unasked).not.toContain('tune');
  });

  test('tune the kernel in the form if it can be tuned, within minutes', () => {
    const asked = { ...complete, solver: { variant: 'transport-a', threads: 0 } };
    expect(named(studyTemplates({ draft, complete: asked, capabilities, offers }), 'tune')).toMatchObject({
      axes: [{ kind: 'tunables', variants: ['transport-a'] }],
      search: { strategy: 'local' },
      budget: { minutes: 10 },
    });
    expect(named(studyTemplates({ draft, complete, capabilities, offers }), 'tune').axes).toEqual([
      { kind: 'tunables', variants: ['transport-b'] },
    ]);
  });

  test.each(scenarioKindNames)('are each valid, for the shipped scenario and for one with errors: %s', (kind) => {
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
    const made = studyTemplates({ draft: shipped, complete: solved, capabilities, offers });
    expect(made.length).toBeGreaterThan(0);
    for (const { id: _id, title: _title, asks: _asks, base, ...rest } of made) {
      const { study, faults } = validateStudy({ kind: 'study', version: 1, base: [{ scenario: base }], ...rest });
      expect(faults).toEqual([]);
      expect(study).not.toBeNull();
    }
    for (const { axes } of studyTemplates({ draft: shipped, complete: null, capabilities, offers: null }))
      expect(axes.length).toBe(1);
  });
});
