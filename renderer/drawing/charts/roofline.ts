/** All variants of a session against the measured ceilings of its GPU. */
import { usedGpus } from '../../../electron/contract/bench/bench-session.ts';
import {
  aboveCeilingTexts,
  isIncorrect,
  type MeasuredSessionEntry,
  type SessionReport,
} from '../../../electron/contract/bench/session.ts';
import { compactCount, percent, significant } from '../../../electron/domain/numbers.ts';
import { curveArray, type FigureArray } from '../export/figure.ts';
import { logLimits } from '../figures/axes.ts';
import { type Ink, rowAxis, seriesInk } from '../figures/figure.ts';
import type { Chart, ChartMark, Series } from './chart.ts';

/** Minimum height of the plot, and height per name at its side, in label heights. */
const [MIN, NAME] = [20, 1.8];

interface Roof {
  readonly name: string;
  readonly copy: number;
  readonly peak: number;
  readonly dash: readonly number[];
  readonly ink: Ink;
}

/** Roofs of every GPU that entries ran on; roofs of equal GPUs coincide. */
function roofsOf({ machine, entries: all }: SessionReport, entries: readonly RooflineEntry[]): readonly Roof[] {
  const double = all.some(({ precision }) => precision === 'fp64');
  const used = usedGpus(machine, entries);
  return used.flatMap((gpu, i): readonly Roof[] => {
    if (gpu.ceilings === null) return [];
    const { copy_bytes_per_s: copy, fp32_flops_per_s, fp64_flops_per_s } = gpu.ceilings;
    const index = machine.gpus?.find(({ uuid }) => uuid === gpu.uuid)?.index;
    const on = used.length === 1 ? '' : index === undefined ? `${gpu.name}: ` : `GPU ${index}: `;
    const ink: Ink = i === 0 ? 'text' : 'text-muted';
    const single = {
      name: `${on}FP32 ${compactCount(fp32_flops_per_s)}FLOP/s`,
      copy,
      peak: fp32_flops_per_s,
      dash: [],
      ink,
    };
    const both = {
      name: `${on}FP64 ${compactCount(fp64_flops_per_s)}FLOP/s`,
      copy,
      peak: fp64_flops_per_s,
      dash: [5, 3],
      ink,
    };
    return double ? [single, both] : [single];
  });
}

/** An entry that declares both its bytes and its operations. */
interface RooflineEntry extends MeasuredSessionEntry {
  readonly roofline: Roofline & { readonly flops_per_byte: number; readonly flops_per_s: number };
}
type Roofline = NonNullable<MeasuredSessionEntry['roofline']>;

const isDeclared = (entry: MeasuredSessionEntry): entry is RooflineEntry =>
  entry.roofline !== null && (entry.roofline.flops_per_byte ?? 0) > 0 && (entry.roofline.flops_per_s ?? 0) > 0;

/** Variants on a GPU if there are any, else those on the CPU, which has no measured ceilings. */
export function rooflineEntries(report: SessionReport): readonly RooflineEntry[] {
  const measured = report.entries.filter((entry) => entry.status === 'measured').filter(isDeclared);
  const onGpu = measured.filter(({ device }) => device === 'cuda');
  return onGpu.length > 0 ? onGpu : measured;
}

/** Declared operations per counted byte of DRAM traffic in a run; null if no bytes were counted. */
function countedIntensity({ quantities, roofline, time_s }: RooflineEntry): number | null {
  const bytes = quantities.find(({ id }) => id === 'ncu_dram_bytes')?.value ?? null;
  return bytes === null || bytes === 0 ? null : (roofline.flops_per_s * time_s) / bytes;
}

export function rooflineChart(report: SessionReport): Chart {
  const entries = rooflineEntries(report);
  const roofs = roofsOf(report, entries);
  const names = entries.map(({ label: name, verdict }) => (isIncorrect(verdict) ? `${name} (${verdict})` : name));
  const inks = entries.map(({ verdict }, i): Ink => (isIncorrect(verdict) ? 'danger' : seriesInk(i)));
  const intensities = entries.map(({ roofline }) => roofline.flops_per_byte);
  const rates = entries.map(({ roofline }) => roofline.flops_per_s);
  const counted = entries.map(countedIntensity);
  const measured = counted.filter((one) => one !== null);
  const [xFrom, xTo] = logLimits([...intensities, ...measured, ...roofs.map(({ peak, copy }) => peak / copy)], 2.5);
  const [yFrom, yTo] = logLimits([...rates, ...roofs.map(({ peak }) => peak)], 2.2);
  const lines = roofs.map(({ name, copy, peak, dash, ink }): Series => {
    const start = Math.max(xFrom, yFrom / copy);
    return {
      ...{ kind: 'line', name, silent: true, ink, width: 1.75, dash },
      ...{ x: [start, peak / copy, xTo], y: [start * copy, peak, peak] },
    };
  });
  const points = entries.map(({ label, roofline }, i): Series => {
    const { flops_per_byte, flops_per_s, bytes_per_s, share_of_copy } = roofline;
    const traffic = `${compactCount(bytes_per_s ?? Number.NaN)}B/s, ${percent(share_of_copy)} of the copy rate`;
    return {
      ...{ kind: 'dots', name: names[i] ?? '', silent: true, ink: inks[i] ?? 'text', radius: 0.42 },
      ...{ form: i % 2 === 0 ? 'round' : 'square', x: [flops_per_byte], y: [flops_per_s] },
      tips: [
        [
          `${label}: ${significant(flops_per_byte, 3)} FLOP/byte, ${compactCount(flops_per_s)}FLOP/s, ${traffic}`,
          ...aboveCeilingTexts(roofline),
        ].join('. '),
      ],
    };
  });
  const countedPoints = entries.flatMap(({ label, roofline }, i): readonly Series[] => {
    const at = counted[i] ?? null;
    if (at === null) return [];
    return [
      {
        ...{ kind: 'dots', name: `${names[i] ?? ''}, counted`, silent: true, ink: inks[i] ?? 'text', radius: 0.24 },
        ...{ form: i % 2 === 0 ? 'round' : 'square', x: [at], y: [roofline.flops_per_s] },
        tips: [`${label}: ${significant(at, 3)} FLOP per measured byte of DRAM`],
      },
    ];
  });
  const copies = [...new Set(roofs.map(({ copy }) => compactCount(copy)))];
  const slope = `slope: copy ${copies.map((copy) => `${copy}B/s`).join(', ')}`;
  const marks: readonly ChartMark[] = [
    ...roofs.map(({ name, peak, ink }): ChartMark => {
      return { kind: 'text', at: [xTo, peak], text: name, ink, anchor: 'end', shift: [-0.4, -0.8] };
    }),
    ...(copies.length === 0
      ? []
      : [
          {
            ...({ kind: 'text', at: [xFrom, yTo], text: slope, ink: 'text-muted' } as const),
            ...({ anchor: 'start', shift: [0.6, 1.05] } as const),
          },
        ]),
  ];
  const numbers = (name: string, unit: string, words: string, of: (entry: RooflineEntry) => number): FigureArray =>
    curveArray(name, unit, words, 'row', entries.map(of));
  return {
    title: 'Roofline from declared bytes and operations',
    panes: [
      {
        x: { title: 'Declared arithmetic intensity', unit: 'FLOP/byte', kind: 'log', from: xFrom, to: xTo },
        y: { title: 'Declared rate', unit: 'FLOP/s', kind: 'log', from: yFrom, to: yTo },
        series: [...lines, ...points, ...countedPoints],
        marks,
        asides: entries.map((_, i) => ({
          ...{ at: [intensities[i] ?? 1, rates[i] ?? 1] as const, text: names[i] ?? '', ink: inks[i] ?? 'text' },
        })),
        tall: Math.max(MIN, entries.length * NAME),
      },
    ],
    hover: 'point',
    arrays: [
      rowAxis(entries.length),
      numbers('flops_per_byte', 'FLOP/byte', 'declared intensity', ({ roofline }) => roofline.flops_per_byte),
      numbers('flops_per_s', 'FLOP/s', 'declared rate', ({ roofline }) => roofline.flops_per_s),
      numbers('bytes_per_s', 'byte/s', 'declared traffic', ({ roofline }) => roofline.bytes_per_s ?? Number.NaN),
    ],
    notes: {
      rows: names.join(', '),
      ceilings: roofs.map((roof) => `${roof.name}, copy ${compactCount(roof.copy)}B/s`).join('; '),
    },
  };
}
