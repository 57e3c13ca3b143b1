/** All variants of a session against the ceilings that were measured on its GPU. */

import { gpusUsed } from '../../../electron/contract/bench/bench-session.ts';
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import { compact, percent, significant } from '../../base/numbers.ts';
import { curveArray, type FigureArray } from '../export/figure.ts';
import { horizontalRoom, logLimits, plotAxes, verticalRoom } from './axes.ts';
import {
  type Figure,
  type FigureSize,
  type Ink,
  type Point,
  rowAxis,
  type Shape,
  seriesInk,
  textWidth,
} from './figure.ts';

interface Roof {
  readonly name: string;
  readonly copy: number;
  readonly peak: number;
  readonly dash: readonly number[];
  readonly ink: Ink;
}

/** Roofs of every GPU that entries ran on; those of equal GPUs coincide. */
function roofsOf({ machine, entries: all }: SessionReport, entries: readonly Declared[]): readonly Roof[] {
  const double = all.some(({ precision }) => precision === 'fp64');
  const used = gpusUsed(machine, entries);
  return used.flatMap((gpu, i): readonly Roof[] => {
    if (gpu.ceilings === null) return [];
    const { copy_bytes_per_s: copy, fp32_flops_per_s, fp64_flops_per_s } = gpu.ceilings;
    const index = machine.gpus?.find(({ uuid }) => uuid === gpu.uuid)?.index;
    const on = used.length === 1 ? '' : index === undefined ? `${gpu.name}: ` : `GPU ${index}: `;
    const ink: Ink = i === 0 ? 'text' : 'text-muted';
    const single = {
      name: `${on}FP32 ${compact(fp32_flops_per_s)}FLOP/s`,
      copy,
      peak: fp32_flops_per_s,
      dash: [],
      ink,
    };
    const both = {
      name: `${on}FP64 ${compact(fp64_flops_per_s)}FLOP/s`,
      copy,
      peak: fp64_flops_per_s,
      dash: [5, 3],
      ink,
    };
    return double ? [single, both] : [single];
  });
}

/** Places labels in a margin beside their points, in order, none on another. */
function spread(wanted: readonly number[], step: number, top: number, bottom: number): readonly number[] {
  const order = [...wanted.keys()].sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  let last = top - step;
  for (const i of order) {
    places[i] = Math.max(last + step, wanted[i] ?? 0);
    last = places[i] ?? last;
  }
  let next = bottom + step;
  for (const i of order.reverse()) {
    places[i] = Math.min(next - step, places[i] ?? 0);
    next = places[i] ?? next;
  }
  return places;
}

/** An entry that declares both its bytes and its operations. */
interface Declared extends MeasuredSessionEntry {
  readonly roofline: Roofline & { readonly flops_per_byte: number; readonly flops_per_s: number };
}
type Roofline = NonNullable<MeasuredSessionEntry['roofline']>;

const isDeclared = (entry: MeasuredSessionEntry): entry is Declared =>
  entry.roofline !== null && (entry.roofline.flops_per_byte ?? 0) > 0 && (entry.roofline.flops_per_s ?? 0) > 0;

/** Variants on the GPU where there is one, else those on the CPU, which has no measured ceilings. */
export function rooflineEntries(report: SessionReport): readonly Declared[] {
  const measured = report.entries.filter((entry) => entry.status === 'measured').filter(isDeclared);
  const onGpu = measured.filter(({ device }) => device === 'cuda');
  return onGpu.length > 0 ? onGpu : measured;
}

export function rooflineFigure(report: SessionReport, { width, label }: FigureSize): Figure {
  const entries = rooflineEntries(report);
  const roofs = roofsOf(report, entries);
  const names = entries.map(({ label: name, verdict }) => (verdict === 'wrong' ? `${name} (wrong)` : name));
  const margin = Math.min(width * 0.34, Math.max(0, ...names.map((name) => textWidth(name, label))) + 3 * label);
  const left = verticalRoom(label);
  const rows = Math.max(15, entries.length * 1.35);
  const box = { left, top: label, width: width - left - margin, height: rows * label * 1.35 };
  const height = Math.round(box.top + box.height + horizontalRoom(label) + label / 2);
  const intensities = entries.map(({ roofline }) => roofline.flops_per_byte);
  const corners = roofs.map(({ copy, peak }) => peak / copy);
  const [xFrom, xTo] = logLimits([...intensities, ...corners], 2.5);
  const rates = entries.map(({ roofline }) => roofline.flops_per_s);
  const [yFrom, yTo] = logLimits([...rates, ...roofs.map(({ peak }) => peak)], 2.2);
  const plot = plotAxes(
    { title: 'Declared arithmetic intensity', unit: 'FLOP/byte', kind: 'log', from: xFrom, to: xTo },
    { title: 'Declared rate', unit: 'FLOP/s', kind: 'log', from: yFrom, to: yTo },
    box,
    label,
  );
  const shapes: Shape[] = [...plot.shapes];
  for (const { name, copy, peak, dash, ink } of roofs) {
    const corner = peak / copy;
    const start = Math.max(xFrom, yFrom / copy);
    const line: Point[] = [
      [plot.x.toPixel(start), plot.y.toPixel(start * copy)],
      [plot.x.toPixel(corner), plot.y.toPixel(peak)],
      [plot.x.toPixel(xTo), plot.y.toPixel(peak)],
    ];
    shapes.push({ kind: 'path', points: line, ink, width: 1.75, dash });
    const place = [plot.x.toPixel(xTo) - label * 0.4, plot.y.toPixel(peak) - label * 0.45] as const;
    shapes.push({ kind: 'text', at: place, text: name, ink, size: label, anchor: 'end' });
  }
  const copies = [...new Set(roofs.map(({ copy }) => compact(copy)))];
  if (copies.length > 0) {
    const at = [box.left + label * 0.6, box.top + label * 1.4] as const;
    const text = `slope: copy ${copies.map((copy) => `${copy}B/s`).join(', ')}`;
    shapes.push({ kind: 'text', at, text, ink: 'text-muted', size: label });
  }
  const points = entries.map(
    ({ roofline }): Point => [plot.x.toPixel(roofline.flops_per_byte), plot.y.toPixel(roofline.flops_per_s)],
  );
  const places = spread(
    points.map(([, y]) => y),
    label * 1.35,
    box.top + label,
    box.top + box.height - label / 2,
  );
  const side = box.left + box.width + label * 0.8;
  entries.forEach((entry, i) => {
    const [x, y] = points[i] ?? [0, 0];
    const place = places[i] ?? y;
    const ink: Ink = entry.verdict === 'wrong' ? 'danger' : seriesInk(i);
    const { roofline } = entry;
    const tip = `${entry.label}: ${significant(roofline.flops_per_byte, 3)} FLOP/byte, ${compact(roofline.flops_per_s)}FLOP/s, ${compact(roofline.bytes_per_s ?? Number.NaN)}B/s, ${percent(roofline.share_of_copy)} of the copy ceiling`;
    shapes.push({
      kind: 'path',
      points: [
        [x, y],
        [side - label * 0.9, place],
        [side - label * 0.3, place],
      ],
      ink,
      width: 0.75,
    });
    shapes.push({ kind: 'dot', at: [x, y], radius: label * 0.42, ink, form: i % 2 === 0 ? 'round' : 'square', tip });
    shapes.push({ kind: 'text', at: [side, place + label * 0.35], text: names[i] ?? '', ink, size: label });
  });
  const numbers = (name: string, unit: string, words: string, of: (entry: Declared) => number): FigureArray =>
    curveArray(name, unit, words, 'row', entries.map(of));
  return {
    width,
    height,
    title: 'Roofline from declared bytes and operations',
    shapes,
    arrays: [
      rowAxis(entries.length),
      numbers('flops_per_byte', 'FLOP/byte', 'declared intensity', ({ roofline }) => roofline.flops_per_byte),
      numbers('flops_per_s', 'FLOP/s', 'declared rate', ({ roofline }) => roofline.flops_per_s),
      numbers('bytes_per_s', 'byte/s', 'declared traffic', ({ roofline }) => roofline.bytes_per_s ?? Number.NaN),
    ],
    notes: {
      rows: names.join(', '),
      ceilings: roofs.map((roof) => `${roof.name}, copy ${compact(roof.copy)}B/s`).join('; '),
    },
  };
}
