/** Figures of the recorded sessions: the same in every renderer, and true to the numbers. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Session, SessionReport } from '../../../../electron/contract/bench/session.ts';
import { factorText, formatTickTime, measuredTime, speedupOf } from '../../../../electron/domain/measured.ts';
import { provenanceText, reportProvenance } from '../../../../electron/domain/provenance.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../electron/host/app/sessions/index.ts';
import type { Chart } from '../../../../renderer/drawing/charts/chart.ts';
import { chartFigure } from '../../../../renderer/drawing/charts/chart-figure.ts';
import { chartPlot } from '../../../../renderer/drawing/charts/chart-plot.ts';
import type { Brush } from '../../../../renderer/drawing/charts/chart-traces.ts';
import { curvesChart } from '../../../../renderer/drawing/charts/curves.ts';
import {
  chainOf,
  fastestChain,
  gainsOf,
  measuredEntries,
  waterfallChart,
} from '../../../../renderer/drawing/charts/ladder.ts';
import { rooflineChart, rooflineEntries } from '../../../../renderer/drawing/charts/roofline.ts';
import { sessionCharts } from '../../../../renderer/drawing/charts/session-charts.ts';
import { type Figure, figureSvg, textWidth, withCaption } from '../../../../renderer/drawing/figures/figure.ts';

const assets = path.resolve(import.meta.dirname, '../../../../assets');
const runs = path.join(assets, 'runs');
const current = await readCurrentRules(assets);
const size = { width: 860, label: 11 };

function openSession(name: string): Session {
  return deriveSession(parseSession(readFileSync(path.join(runs, `${name}.json`), 'utf8'), name), current);
}

function firstReport({ reports }: Session): SessionReport {
  const [report] = reports;
  if (report === undefined) throw new Error('no report');
  return report;
}

const grid = openSession('h200-uniform-grid-70MeV');
const report = firstReport(grid);

const sentences = {
  ladder: 'No ladder',
  roofline: 'No roofline',
  sweep: 'No size sweep',
  'cold-start': 'No cold start',
};

const texts = ({ shapes }: Figure): string[] => shapes.flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));

describe('the ladder', () => {
  test('is the chain of the fastest correct variant', () => {
    const chain = fastestChain(report);
    const right = measuredEntries(report).filter(({ verdict }) => verdict !== 'wrong');
    expect(chain.at(-1)?.time_s).toBe(Math.min(...right.map(({ time_s }) => time_s)));
    chain.slice(1).forEach((entry, i) => {
      expect(entry.builds_on).toBe(chain[i]?.label);
    });
    expect(chain[0]?.builds_on === null || !right.some(({ label }) => label === chain[0]?.builds_on)).toBe(true);
  });

  test('excludes wrong variants, even if they are fast', () => {
    const fastest = fastestChain(report).at(-1);
    const spoilt: SessionReport = {
      ...report,
      entries: report.entries.map((entry) =>
        entry.status === 'measured' && entry.label === fastest?.label ? { ...entry, verdict: 'wrong' as const } : entry,
      ),
    };
    expect(fastestChain(spoilt).map(({ label }) => label)).not.toContain(fastest?.label);
    expect(gainsOf(spoilt).map(({ label }) => label)).not.toContain(fastest?.label);
    const figure = chartFigure(rooflineChart(spoilt), size);
    expect(texts(figure)).toContain(`${fastest?.label} (wrong)`);
    expect(figure.shapes).toContainEqual(expect.objectContaining({ kind: 'dot', ink: 'danger' }));
  });

  test('ends if variants build on each other in a cycle', () => {
    const [a, b] = measuredEntries(report);
    if (a === undefined || b === undefined) throw new Error('too few');
    const ring = [
      { ...a, builds_on: b.label },
      { ...b, builds_on: a.label },
    ];
    expect(ring[0] && chainOf(ring[0], ring)).toHaveLength(2);
  });

  test('draws each time at its position on the axis', () => {
    const chain = fastestChain(report);
    const { shapes, arrays } = chartFigure(waterfallChart(chain), size);
    const bars = shapes.filter((shape) => shape.kind === 'rect');
    expect(bars).toHaveLength(chain.length);
    // On a logarithmic axis, lengths of bars are proportional to the logarithms of the gains.
    const [second, third] = [bars[1], bars[2]];
    const log = (i: number): number => Math.abs(Math.log((chain[i]?.time_s ?? 1) / (chain[i - 1]?.time_s ?? 1)));
    expect((second?.width ?? 0) / (third?.width ?? 1)).toBeCloseTo(log(1) / log(2), 2);
    // The label of the first bar is to its right, and that of a bar that shows a gain is to its left.
    const words = shapes.filter((shape) => shape.kind === 'text');
    const wordsOf = (i: number) => words.find(({ text }) => text === measuredTime(chain[i]?.time_s ?? 0));
    const [lowest, gained] = [wordsOf(0), wordsOf(1)];
    expect(lowest?.anchor).toBe('start');
    expect(lowest?.at[0]).toBeGreaterThan((bars[0]?.x ?? 0) + (bars[0]?.width ?? 0));
    expect(gained?.anchor).toBe('end');
    expect(gained?.at[0]).toBeLessThan(bars[1]?.x ?? 0);
    expect([...(arrays.find(({ name }) => name === 'time_s')?.values ?? [])]).toEqual(
      chain.map(({ time_s }) => time_s),
    );
  });
});

test('a roofline has the roofs of every GPU used by its entries, with their names', () => {
  const gpu = report.machine.gpu;
  if (gpu === null || gpu.ceilings === null) throw new Error('no ceilings');
  const single = texts(chartFigure(rooflineChart(report), size)).filter(
    (text) => text.includes('FLOP/s') && text.includes('FP'),
  );
  expect(single.every((text) => text.startsWith('FP'))).toBe(true);
  const slower = { ...gpu.ceilings, copy_bytes_per_s: gpu.ceilings.copy_bytes_per_s / 3 };
  const gpus = [{ ...gpu, index: 1, uuid: 'GPU-second', name: 'Slower', ceilings: slower }];
  const [first, ...rest] = rooflineEntries(report);
  if (first === undefined) throw new Error('no entries');
  const both: SessionReport = {
    ...report,
    machine: { ...report.machine, gpus },
    entries: [...rest, { ...first, label: `${first.label}:1`, gpu: 1 }],
  };
  const found = texts(chartFigure(rooflineChart(both), size));
  expect(found.filter((text) => text.startsWith('GPU 1: FP'))).toHaveLength(single.length);
  expect(found.filter((text) => text.startsWith('NVIDIA H200: FP'))).toHaveLength(single.length);
  expect(found.find((text) => text.startsWith('slope'))).toMatch(/^slope: copy [\d.]+ TB\/s, [\d.]+ TB\/s$/);
  expect(reportProvenance(both, grid.created).machine).toBe('NVIDIA H200, Slower');
  expect(
    reportProvenance({ ...both, machine: { ...both.machine, gpus: [{ ...gpu, index: 1, uuid: 'x' }] } }, '').machine,
  ).toBe('2 × NVIDIA H200');
});

describe.for([
  'h200-uniform-grid-70MeV',
  'h200-dense-36M',
  'h200-water-70MeV',
  'h200-sweep-water-70MeV',
  'diffraction/h200-simple-cubic-1024',
  'diffraction/h200-sweep-simple-cubic',
  'linear-relu/layer-1024',
  'micro/coalescing',
  'micro/launch',
  'micro/overlap',
  'micro/gemm',
])('%s', (name) => {
  const one = openSession(name);

  test('has figures that contain all text and the plotted data', () => {
    for (const each of one.reports) {
      const { charts, missing } = sessionCharts(one, each);
      const ids = charts.map(({ id }) => id);
      // A missing figure is explained by a sentence.
      for (const [id, sentence] of Object.entries(sentences)) {
        expect(ids.includes(id) !== missing.some((text) => text.startsWith(sentence)), `${id} or ${sentence}`).toBe(
          true,
        );
      }
      for (const { chart } of charts) {
        for (const width of [420, 860]) {
          const figure = chartFigure(chart, { width, label: 11 });
          expect(figure.arrays.length).toBeGreaterThan(0);
          for (const shape of figure.shapes) {
            if (shape.kind !== 'text' || shape.upright) continue;
            const wide = textWidth(shape.text, shape.size);
            const left = shape.at[0] - (shape.anchor === 'end' ? wide : shape.anchor === 'middle' ? wide / 2 : 0);
            expect(left, `${figure.title}, ${width} px: ${shape.text}`).toBeGreaterThan(-1);
            expect(shape.at[1]).toBeLessThanOrEqual(figure.height);
          }
          expect(figureSvg(figure, { background: true })).not.toMatch(/NaN|Infinity|undefined/);
        }
      }
    }
  });

  test('renders the same bytes every time', () => {
    const write = (): string[] =>
      sessionCharts(one, firstReport(one)).charts.map(({ chart }) =>
        figureSvg(chartFigure(chart, size), { background: true }),
      );
    expect(write()).toEqual(write());
  });
});

test('a figure states the machine of its measurements', () => {
  const text = provenanceText(reportProvenance(report, grid.created));
  const commit = report.program.commit?.slice(0, 9) ?? 'none';
  expect(text).toBe(
    `NVIDIA H200 · driver 580.159.04 · 1\u202f980 MHz · braggbench 0.1.0 · commit ${commit} · 30 Nov 2026`,
  );
  const figure = withCaption(chartFigure(waterfallChart(fastestChain(report)), { width: 420, label: 11 }), text, 11);
  expect(texts(figure).join(' ')).toContain(`commit ${commit}`);
  const known = { ...report, program: { ...report.program, commit: 'a'.repeat(40) } };
  expect(provenanceText(reportProvenance(known, 'no date'))).toMatch(/commit aaaaaaaaa · time not recorded$/);
});

test('markup in names is shown as text', () => {
  const curve = {
    quantity: 'dose',
    unit: 'MeV/mm',
    axis: 'depth',
    axisUnit: 'mm',
    positions: Float64Array.of(0, 1, 2),
    values: Float64Array.of(1, 3, 0),
  };
  const named = { name: '<script>&', ink: 'series-1', dash: [], curve, residual: null } as const;
  const svg = figureSvg(chartFigure(curvesChart([named]), size), { background: false });
  expect(svg).toContain('&lt;script&gt;&amp;');
  expect(svg).not.toContain('<script');
});

test('times and ratios keep three digits and their unit', () => {
  expect([4e-9, 2.5e-6, 0.0209, 1.5, 3000].map(measuredTime)).toEqual([
    '4.00 ns',
    '2.50 µs',
    '20.9 ms',
    '1.50 s',
    '50 min 00 s',
  ]);
  expect([0.005, 0.02, 10].map(formatTickTime)).toEqual(['5 ms', '20 ms', '10 s']);
  expect(factorText(speedupOf({ value: 0.5, interval: { low: 0.4, high: 0.8 } }))).toBe('2.00× (1.25–2.50)');
});

test('a waterfall has bars that begin where the one above ends, connected by lines', () => {
  const axis = { title: 'Time', unit: 's', kind: 'log', from: 1, to: 10, fixed: true } as const;
  const series = {
    ...({ kind: 'waterfall', name: 'Time', ink: 'series-8', thick: 0.5 } as const),
    ...{ x: [8, 2, 4], y: [0, 1, 2] },
  };
  const chart: Chart = {
    ...{ title: 'Steps', hover: 'point', arrays: [], notes: {} },
    panes: [{ x: axis, y: { ...axis, kind: 'linear', from: 2.5, to: -0.5 }, series: [series], tall: 8 }],
  };
  const brush: Brush = {
    color: (ink) => ink,
    theme: {
      ...{ text: '#000', textMuted: '#444', axis: '#888', grid: '#ccc', surface: '#fff', paper: '#fff' },
      ...{ accent: '#00f', crosshair: '#000', crosshairHalo: '#fff', reference: '#080' },
      ...{ family: 'sans-serif', labelSize: 11 },
    },
  };
  const { data, layout } = chartPlot(chart, { width: 600, label: 11 }, 400, brush);
  expect(data).toMatchObject([
    {
      type: 'bar',
      orientation: 'h',
      base: [0, 8, 2],
      x: [8, -6, 2],
      marker: { color: ['series-8', 'good', 'warning'] },
    },
  ]);
  expect(layout.shapes).toMatchObject([
    { type: 'line', xref: 'x', yref: 'y', x0: 8, x1: 8, y0: 0.25, y1: 0.75 },
    { type: 'line', xref: 'x', yref: 'y', x0: 2, x1: 2, y0: 1.25, y1: 1.75 },
  ]);
});
