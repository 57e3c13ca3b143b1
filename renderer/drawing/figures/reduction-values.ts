/**
 * A sum over a block after one of its steps, thread by thread: the value in each slot and the addend that it received.
 */
import { type ReducedValues, type Reduction, reductionTitles } from '../../../electron/contract/launch/reduction.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import type { Figure, FigureSize, Shape } from './figure.ts';

const WARP = 32;
/** Width of a digit over the size of its font. */
const DIGIT = 0.58;

const text = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** In the room that a cell has: all digits, thousands, or nothing. */
function brief(value: number, room: number, size: number): string {
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
  if (from === null) return `${name} = ${text(value)}, handed on in shared memory`;
  if (from === place) return `${name} = ${text(value)}: the lane asked beyond its warp and got its own value again`;
  const other = before.values[from];
  const source = kind === 'shuffle' ? `thread ${from}` : `s[${from}]`;
  if (other === undefined) return `${name} = ${text(value)}: thread ${from} is not there`;
  return `${name} = ${text(value)}: ${text(before.values[place] ?? 0)} + ${text(other)} of ${source}`;
}

/** `states` before the first step and after each; `step` 0 is the start. */
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
      const shown = brief(state.values[place] ?? 0, cell - 2, size);
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
  legend({ kind: 'frame', ...box(), ink: 'text' }, 'read by it from there');
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
      column('value', 'what stands there after the step', (place) => state.values[place] ?? 0),
      column('added_from', 'place whose value the step added; none where it added none', (place) => {
        return state.wrote.get(place) ?? Number.NaN;
      }),
    ],
    notes: { step: String(step) },
  };
}
