/**
 * Figures of a reduction in a thread block. One shows a single step, thread by thread: the value in each slot, and the
 * addend that it received. The other shows all steps as rows with one cell per warp, filled by the share of lanes that
 * add.
 */
import { type ReducedValues, type Reduction, reductionTitles } from '../../../electron/domain/launch/reduction.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, type Shape, shortenToFit } from './figure.ts';

const WARP = 32;
/** Width of a digit relative to the font size. */
const DIGIT = 0.58;

const text = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** Shortest text of a number that fits into a cell: all digits, thousands, or nothing. */
function shortestFittingText(value: number, room: number, size: number): string {
  const fits = (words: string): boolean => words.length * DIGIT * size <= room;
  const all = String(value);
  if (fits(all)) return all;
  const thousands = `${Math.round(value / 1000)}k`;
  return value >= 1000 && fits(thousands) ? thousands : '';
}

function tipOf(kind: Reduction['kind'], state: ReducedValues, before: ReducedValues | null, place: number): string {
  const name = kind === 'shuffle' ? `thread ${place}: v` : `s[${place}]`;
  const value = state.values[place] ?? 0;
  if (before === null || !state.wrote.has(place)) return `${name} = ${text(value)}`;
  const from = state.wrote.get(place) ?? null;
  if (from === null) return `${name} = ${text(value)}, passed on through shared memory`;
  if (from === place) return `${name} = ${text(value)}: the lane read beyond its warp and got its own value`;
  const other = before.values[from];
  const source = kind === 'shuffle' ? `thread ${from}` : `s[${from}]`;
  if (other === undefined) return `${name} = ${text(value)}: thread ${from} does not exist`;
  return `${name} = ${text(value)}: ${text(before.values[place] ?? 0)} + ${text(other)} of ${source}`;
}

/** `states`: values before the first step and after each step. `step` 0 is the start. */
export function reductionValuesFigure(
  kind: Reduction['kind'],
  states: readonly ReducedValues[],
  step: number,
  { width, label }: FigureSize,
): Figure {
  const state = states[step] ?? { values: [], wrote: new Map() };
  const before = step === 0 ? null : (states[step - 1] ?? null);
  const read = new Set([...state.wrote].flatMap(([place, from]) => (from === null || from === place ? [] : [from])));
  const threads = state.values.length;
  const left = label * 5.5;
  const columns = Math.min(WARP, threads);
  const cell = Math.min(label * 4, (width - left - label) / columns);
  const height = label * 1.7;
  const size = label * 0.86;
  const shapes: Shape[] = [];
  let y = label * 0.6;
  for (let first = 0; first < threads; first += WARP) {
    const middle = y + height / 2 + label * 0.35;
    const words = `warp ${first / WARP}`;
    shapes.push({ kind: 'text', at: [label / 2, middle], text: words, ink: 'text-muted', size: label });
    for (let lane = 0; lane < WARP && first + lane < threads; lane += 1) {
      const place = first + lane;
      const x = left + lane * cell;
      const wrote = state.wrote.has(place);
      const at = { x: x + 0.5, y, width: cell - 1, height };
      const tip = tipOf(kind, state, before, place);
      shapes.push({ kind: 'rect', ...at, ink: 'plot-grid', tip });
      if (wrote) shapes.push({ kind: 'rect', ...at, ink: 'accent', opacity: 0.35, tip });
      if (read.has(place)) shapes.push({ kind: 'frame', ...at, ink: 'text' });
      const shown = shortestFittingText(state.values[place] ?? 0, cell - 2, size);
      if (shown !== '') {
        const ink = wrote || step === 0 ? 'text' : 'text-muted';
        shapes.push({ kind: 'text', at: [x + cell / 2, middle], text: shown, ink, size, anchor: 'middle' });
      }
    }
    y += height + label * 0.35;
  }
  y += label * 0.9;
  let at = left;
  const legend = (shape: Shape, words: string): void => {
    shapes.push(shape, { kind: 'text', at: [at + label * 1.5, y], text: words, ink: 'text', size: label });
    at += label * (words.length * 0.56 + 3);
  };
  const box = (): { x: number; y: number; width: number; height: number } => ({
    ...{ x: at, y: y - label * 0.85, width: label, height: label },
  });
  legend({ kind: 'rect', ...box(), ink: 'accent', opacity: 0.35 }, 'written by this step');
  legend({ kind: 'frame', ...box(), ink: 'text' }, 'read in this step');
  const index = axisArray('place', '', kind === 'shuffle' ? 'thread' : 'word of shared memory', [
    ...state.values.keys(),
  ]);
  const column = (name: string, words: string, of: (place: number) => number) =>
    curveArray(name, '', words, index.name, [...state.values.keys()].map(of));
  return {
    width,
    height: Math.ceil(y + label * 0.8),
    title: `${reductionTitles[kind]}, ${step === 0 ? 'before the first step' : `after step ${step}`}`,
    shapes,
    arrays: [
      index,
      column('value', 'its value after the step', (place) => state.values[place] ?? 0),
      column('added_from', 'source of the value added in this step; none if nothing was added', (place) => {
        return state.wrote.get(place) ?? Number.NaN;
      }),
    ],
    notes: { step: String(step) },
  };
}

export function reductionFigure(reduction: Reduction, threads: number, { width, label }: FigureSize): Figure {
  const { steps } = reduction;
  const warps = Math.ceil(threads / WARP);
  const text = Math.min(width * 0.42, label * 18);
  const right = label * 9;
  const cell = Math.max(3, Math.min(label * 2.2, (width - text - right - label) / warps));
  const height = label * 1.3;
  const shapes: Shape[] = [];
  let y = label * 1.8;
  const head = (words: string, x: number): void => {
    shapes.push({ kind: 'text', at: [x, label], text: words, ink: 'text-muted', size: label });
  };
  head('Step', label / 2);
  head(warps === 1 ? 'The warp' : `Warps 0 to ${warps - 1}`, text);
  head('Threads that add', text + warps * cell + label);
  for (const step of steps) {
    const middle = y + height / 2 + label * 0.35;
    const words = shortenToFit(step.text, text - label, label);
    shapes.push({ kind: 'text', at: [label / 2, middle], text: words, ink: 'text', size: label });
    for (let warp = 0; warp < warps; warp += 1) {
      const size = Math.min(WARP, threads - warp * WARP);
      const lanes = step.lanes[warp] ?? 0;
      const x = text + warp * cell;
      const tip = `warp ${warp}: ${lanes} of ${size} lanes add${lanes > 0 && lanes < size ? ', divergent' : ''}`;
      shapes.push({ kind: 'rect', x: x + 0.5, y, width: cell - 1, height, ink: 'plot-grid', tip });
      if (lanes === 0) continue;
      // Fill the cell by its number of adding lanes; divergent warps have the warning colour.
      const full = Math.max(1.5, (lanes / size) * height);
      const ink = lanes < size ? 'warning' : 'accent';
      shapes.push({ kind: 'rect', x: x + 0.5, y: y + height - full, width: cell - 1, height: full, ink, tip });
    }
    const conflict = step.ways > 1 ? `, ${step.ways}-way conflict` : '';
    const count = `${step.threads}${conflict}`;
    const ink = step.ways > 1 ? 'danger' : 'text-muted';
    shapes.push({ kind: 'text', at: [text + warps * cell + label, middle], text: count, ink, size: label });
    y += height + label * 0.45;
  }
  if (steps.length === 0) {
    shapes.push({
      kind: 'text',
      at: [label / 2, y + label],
      text: 'One thread: nothing to add',
      ink: 'text',
      size: label,
    });
    y += 2 * label;
  }
  const index = axisArray(
    'step',
    '',
    'step of the sum',
    steps.map((_, i) => i + 1),
  );
  const column = (name: string, words: string, values: readonly number[]) =>
    curveArray(name, '', words, index.name, values);
  return {
    width,
    height: Math.ceil(y + label / 2),
    title: reductionTitles[reduction.kind],
    shapes,
    arrays: [
      index,
      column(
        'threads',
        'threads that add',
        steps.map((one) => one.threads),
      ),
      column(
        'warps',
        'warps with an adding thread',
        steps.map((one) => one.warps),
      ),
      column(
        'divergent',
        'warps in which only some lanes add',
        steps.map((one) => one.divergent),
      ),
      column(
        'ways',
        'simultaneous accesses to one bank of shared memory',
        steps.map((one) => one.ways),
      ),
    ],
    notes: Object.fromEntries(steps.map(({ text: words }, i) => [`step_${i + 1}`, words])),
  };
}
