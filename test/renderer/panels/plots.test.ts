import { describe, expect, it } from 'vitest';
import type { DepthDose, RunSummary } from '../../../electron/contract/run.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import type { ShownDepthDose, ShownMap } from '../../../renderer/data/run-data.ts';
import type { Pane } from '../../../renderer/drawing/charts/chart.ts';
import { beamAxis, depthAlong, interpolate, pointAlong } from '../../../renderer/panels/depth-dose/beam-axis.ts';
import { type ChartInput, depthDoseChart, fullDepthRange } from '../../../renderer/panels/depth-dose/figure.ts';
import { doseScene, fullExtent } from '../../../renderer/panels/dose-map/scene.ts';
import { ledgerRows } from '../../../renderer/panels/ledger/ledger-panel.tsx';
import { valueAtDepth } from '../../../renderer/workloads/transport/widths.tsx';

const resolvedWith = (beam: object, regions: readonly object[] = []): ResolvedTransport =>
  ({
    scenario: { beam: { x_mm: 0, z_mm: 0, angle_deg: 0, ...beam }, geometry: { width_mm: 40, depth_mm: 50, regions } },
    range_mm: 40.8,
    table: 'NIST PSTAR (ICRU 49)',
  }) as unknown as ResolvedTransport;

const shownCurve = (final: Partial<DepthDose['metrics']> | null): ShownDepthDose => ({
  run: 'a',
  curve: {
    quantity: 'dose',
    unit: 'MeV/mm',
    axis: 'depth',
    axisUnit: 'mm',
    positions: Float64Array.of(0.5, 1.5, 2.5),
    values: Float64Array.of(1, 4, 2),
  },
  perMass: {
    quantity: 'dose per mass',
    unit: 'nGy mm²',
    axis: 'depth',
    axisUnit: 'mm',
    positions: Float64Array.of(0.5, 1.5, 2.5),
    values: Float64Array.of(160, 640, 160),
  },
  final: final === null ? null : ({ metrics: { r80_mm: null, r20_mm: null, ...final } } as DepthDose),
});

describe('the beam axis', () => {
  it('converts a map position to the depth along the beam and back', () => {
    const axis = beamAxis(resolvedWith({ angle_deg: 45, x_mm: -5, z_mm: 2 }));
    const at = pointAlong(axis, 10);
    expect(at.z).toBeCloseTo(2 + 10 * Math.SQRT1_2, 12);
    expect(at.x).toBeCloseTo(-5 + 10 * Math.SQRT1_2, 12);
    expect(depthAlong(axis, at.z, at.x)).toBeCloseTo(10, 12);
    expect(beamAxis(null)).toEqual({ entrance_mm: { z: 0, x: 0 }, angle_rad: 0 });
  });

  it('interpolates a curve between its points, but not beyond them', () => {
    const { positions, values } = shownCurve(null).curve;
    expect([0.4, 0.5, 1, 2, 2.5, 2.6].map((depth) => interpolate(positions, values, depth))).toEqual([
      null,
      1,
      2.5,
      3,
      2,
      null,
    ]);
    expect(interpolate([], [], 1)).toBeNull();
  });
});

describe('the depth dose figure', () => {
  const figure = (options: Partial<ChartInput>) => {
    const input = { shown: null, resolved: null, unit: 'absolute', window: null, width: 72, ...options } as const;
    const [pane] = depthDoseChart(input).panes;
    if (pane === undefined) throw new Error('no plot');
    return pane;
  };
  const labels = ({ marks = [] }: Pane) => marks.flatMap((mark) => (mark.kind === 'line' ? [mark.label] : []));
  const doses = ({ series }: Pane) => series.map(({ y }) => Array.from(y));

  it('marks R80, the falloff behind it, and the range of the table', () => {
    const pane = figure({ shown: shownCurve({ r80_mm: 40.76, r20_mm: 41.36 }), resolved: resolvedWith({}) });
    expect(pane.marks).toMatchObject([
      { kind: 'line', at: 40.8, dash: [5, 4] },
      { kind: 'line', at: 40.76 },
      { kind: 'band', from: 40.76, to: 41.36 },
    ]);
    expect(pane.marks?.[1]).not.toHaveProperty('dash');
    expect(labels(pane).map((label) => label?.text)).toEqual([['Range 40.80 mm'], ['R80 40.76 mm']]);
  });

  it('is drawn by mass with its unit, other runs in their units, and files scaled to the peak', () => {
    const depth_mm = Float64Array.of(0.5, 1.5, 2.5);
    const other = { name: 'b', depth_mm, dose: Float64Array.of(1, 2, 1), unit: 'MeV/mm', styleIndex: 0 };
    const overlays = [{ ...other, perMass: Float64Array.of(160, 320, 80) }, other];
    const pane = figure({ shown: shownCurve(null), unit: 'mass', overlays });
    expect(doses(pane)).toEqual([
      [160, 640, 160],
      [160, 320, 80],
      [320, 640, 320],
    ]);
    expect(pane.y).toMatchObject({ title: 'Dose', unit: 'nGy mm²' });
  });

  it('uses the units of overlaid curves on its axis if no run exists to scale them to', () => {
    const curve = { name: 'b', depth_mm: Float64Array.of(0.5, 1.5), dose: Float64Array.of(1, 2), styleIndex: 0 };
    const unitWith = (...units: readonly (string | null)[]) =>
      figure({ overlays: units.map((unit) => ({ ...curve, unit })) }).y.unit;
    expect(unitWith()).toBe('MeV/mm');
    expect(unitWith('Gy', 'Gy')).toBe('Gy');
    expect(unitWith(null)).toBe('arbitrary unit');
    expect(unitWith('Gy', null)).toBe('as in the files');
  });

  it('states that the range is along the axis if there are regions', () => {
    const pane = figure({ resolved: resolvedWith({}, [{}]) });
    expect(labels(pane)).toEqual([{ text: ['Range on', 'the axis 40.80 mm'], side: 'right' }]);
  });

  it('places the range label on the side with space, and not over R80', () => {
    const pane = figure({ resolved: resolvedWith({}), width: 27 });
    expect(labels(pane)).toEqual([{ text: ['Range 40.80 mm'], side: 'left', row: 1 }]);
  });

  it('shows no readouts of an incomplete dose', () => {
    expect(figure({ shown: shownCurve(null), resolved: resolvedWith({}) }).marks).toHaveLength(1);
  });

  it('shows per cent of the peak, and the axis up to the edges of the cells', () => {
    const pane = figure({ shown: shownCurve({}), unit: 'percent' });
    expect(doses(pane)).toEqual([[25, 100, 50]]);
    expect(pane.x).toMatchObject({ from: 0, to: 3 });
    expect(fullDepthRange(null, resolvedWith({}))).toEqual([0, 50]);
  });
});

describe('the scene of the dose map', () => {
  const region = { name: '', material: 'bone-compact-icru', x_mm: [0, 20], z_mm: [16, 21] };
  const input = { shown: null, r80_mm: null, windows: {}, marks: true } as const;

  it('shows the geometry before there is a dose', () => {
    const scene = doseScene({ ...input, resolved: resolvedWith({}, [region]) });
    expect(scene?.horizontal).toMatchObject({ from: 0, to: 50 });
    expect(scene?.vertical).toMatchObject({ from: -20, to: 20 });
    expect(scene?.annotations).toMatchObject([
      { kind: 'rectangle', label: 'Bone, compact (ICRU)', horizontal: [16, 21], vertical: [0, 20] },
      { kind: 'arrow', from: [0, 0] },
      { kind: 'vertical-line', at: 40.8 },
    ]);
    expect(doseScene({ ...input, resolved: null })).toBeNull();
  });

  it('shows R80 of a straight beam at its distance from the entrance, and none for a tilted beam', () => {
    const axis = {
      name: 'z',
      unit: 'mm',
      from: 0,
      to: 50,
      count: 1,
      cellsPerSample: 1,
      lastCells: 1,
      fullFrom: 0,
      fullTo: 50,
      edges: null,
    };
    const shown = {
      run: 'a',
      step: 1,
      depth_mm: 1,
      field: { horizontal: axis, vertical: { ...axis, fullFrom: -9, fullTo: 9 } },
    } as unknown as ShownMap;
    const marksOf = (beam: object) =>
      doseScene({ ...input, shown, r80_mm: 10, resolved: resolvedWith(beam) })?.annotations;
    expect(marksOf({ z_mm: 5 })).toMatchObject([{ kind: 'vertical-line', at: 15, label: 'R80' }]);
    expect(marksOf({ angle_deg: 45 })).toEqual([]);
    expect(fullExtent(shown, null)).toEqual({ z: [0, 50], x: [-9, 9] });
    expect(doseScene({ ...input, shown, resolved: null, windows: { z: [10, 20] } })?.horizontal).toMatchObject({
      from: 10,
      to: 20,
    });
  });
});

it('the ledger lists every entry of both balances', () => {
  const balance = {
    in: 1,
    in_flight: 2,
    stopped: 3,
    escaped_x: 4,
    escaped_z: 5,
    escaped_theta: 6,
    nuclear: 7,
    skipped: 8,
  };
  const rows = ledgerRows({
    ledger: { number: { ...balance, rel_error: 0 }, energy: { ...balance, deposited: 9, rel_error: 0 } },
  } as Pick<RunSummary, 'ledger'>);
  expect(rows.map((row) => row.number)).toEqual([1, null, 3, 2, 4, 5, 6, 7, 8]);
  expect(rows.map((row) => row.energy_MeV)).toEqual([1, 9, 3, 2, 4, 5, 6, 7, 8]);
  const known = { ...balance, rel_error: 0, escaped_z: 0, escaped_x_low: 1, escaped_x_high: 3, escaped_z_low: 0 };
  const parts = ledgerRows({
    ledger: { number: known, energy: { ...known, deposited: 9 } },
  } as Pick<RunSummary, 'ledger'>).filter(({ kind }) => kind === 'part');
  expect(parts.map(({ name, number }) => [name, number])).toEqual([
    ['at low x', 1],
    ['at high x', 3],
  ]);
});

it('a column is read at the nearest plane, or not at all', () => {
  const depths = Float64Array.of(0, 1, 2);
  const values = Float64Array.of(10, 11, Number.NaN);
  expect([0.4, 0.6, 2, 2.9, 3.5].map((depth) => valueAtDepth(depths, values, depth))).toEqual([
    10,
    11,
    null,
    null,
    null,
  ]);
});
