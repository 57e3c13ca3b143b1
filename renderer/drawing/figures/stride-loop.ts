/**
 * One turn of a grid-stride loop over the data along x. Three strips, each nearer than the one above: all elements with
 * the turns that are done, the stretch of this turn by its blocks, and the chosen thread's block by its warps.
 */
import type { Launch } from '../../../electron/contract/launch/launch.ts';
import { placeOfThread, threadsAlongX } from '../../../electron/contract/launch/mapping.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, type Ink, type Shape, seriesInk } from './figure.ts';

const WARP = 32;
/** Pixels below which neighbouring blocks cannot be distinguished; they are then drawn as one. */
const NARROWEST = 2;
const BLOCK_INKS = 4;

const text = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** Turns that the busiest thread makes. */
export function turnsOf(launch: Launch): number {
  return Math.max(1, Math.ceil(launch.request.elements[0] / threadsAlongX(launch)));
}

interface Strip {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

export function strideFigure(launch: Launch, thread: number, turn: number, { width, label }: FigureSize): Figure {
  const [elements] = launch.request.elements;
  const [blockWidth] = launch.request.block;
  const stride = threadsAlongX(launch);
  const turns = turnsOf(launch);
  const { block, warp, lane } = placeOfThread(launch, thread);
  const start = turn * stride;
  const end = Math.min(elements, start + stride);
  const mine = start + thread;
  const left = label;
  const room = width - 2 * label;
  const height = label * 1.5;
  const gap = label * 3.6;
  const shapes: Shape[] = [];
  const head = (y: number, words: string): void => {
    shapes.push({ kind: 'text', at: [left, y - label * 0.5], text: words, ink: 'text', size: label });
  };
  const xOf = ({ from, to }: Strip, place: number): number => left + ((place - from) / (to - from)) * room;
  const bar = (strip: Strip, from: number, to: number, ink: Ink, opacity: number, tip: string): void => {
    const [a, b] = [xOf(strip, from), xOf(strip, Math.min(to, strip.to))];
    if (b <= a) return;
    const line = b - a > NARROWEST * 2 ? 1 : 0;
    shapes.push({ kind: 'rect', x: a, y: strip.y, width: b - a - line, height, ink, opacity, tip });
  };
  /** Lines from the ends of a stretch to the strip below, which is that stretch. */
  const opens = (strip: Strip, from: number, to: number): void => {
    const below = strip.y + gap + height;
    for (const [place, x] of [
      [from, left],
      [to, left + room],
    ] as const) {
      const line = { from: [xOf(strip, place), strip.y + height], to: [x, below], ink: 'plot-axis', width: 1 } as const;
      shapes.push({ kind: 'line', ...line, dash: [3, 3] });
    }
  };

  const all: Strip = { from: 0, to: elements, y: label * 1.8 };
  head(
    all.y,
    `All ${text(elements)} elements, ${text(turns)} ${turns === 1 ? 'turn' : 'turns'} of ${text(stride)} threads`,
  );
  bar(all, 0, elements, 'plot-grid', 1, 'to come');
  bar(all, 0, start, 'accent', 0.35, `done in ${text(turn)} turns`);
  bar(all, start, end, 'accent', 1, `turn ${turn + 1}: elements ${text(start)} to ${text(end - 1)}`);
  if (room / turns > NARROWEST * 3) {
    for (let one = 1; one < turns; one += 1) {
      const x = xOf(all, one * stride);
      shapes.push({ kind: 'line', from: [x, all.y - 2], to: [x, all.y + height + 2], ink: 'plot-axis', width: 1 });
    }
  }
  opens(all, start, Math.min(end, elements));

  const now: Strip = { from: start, to: end, y: all.y + height + gap };
  const blocks = Math.ceil((end - start) / blockWidth);
  head(now.y, `Turn ${turn + 1}: elements ${text(start)} to ${text(end - 1)}, by ${text(blocks)} blocks`);
  // If blocks are too narrow to distinguish, several of them share a bar.
  const joined = Math.max(1, Math.ceil((blocks * NARROWEST) / room));
  for (let first = 0; first < blocks; first += joined) {
    const last = Math.min(blocks, first + joined) - 1;
    const who = last === first ? `block ${text(first)}` : `blocks ${text(first)} to ${text(last)}`;
    const opacity = joined === 1 ? 0.85 : Math.floor(first / joined) % 2 === 0 ? 0.85 : 0.6;
    const ink = seriesInk(joined === 1 ? first % BLOCK_INKS : 0);
    bar(now, start + first * blockWidth, start + (last + 1) * blockWidth, ink, opacity, who);
  }

  let y = now.y + height;
  const from = start + block * blockWidth;
  if (from < end) {
    const to = from + blockWidth;
    opens(now, from, Math.min(to, end));
    const near: Strip = { from, to, y: now.y + height + gap };
    const does = mine < end ? `thread ${lane} does element ${text(mine)}` : `thread ${lane} has none left`;
    head(near.y, `Block ${text(block)} in this turn: ${does}`);
    bar(near, from, to, 'plot-grid', 1, 'behind the last element');
    const warps = Math.ceil(blockWidth / WARP);
    for (let one = 0; one < warps; one += 1) {
      const [a, b] = [from + one * WARP, Math.min(from + blockWidth, from + (one + 1) * WARP, end)];
      const words = `warp ${one}: elements ${text(a)} to ${text(b - 1)}, neighbours read together`;
      bar(near, a, b, seriesInk(block % BLOCK_INKS), one % 2 === 0 ? 0.85 : 0.5, words);
    }
    const [a, b] = [xOf(near, from + lane), xOf(near, from + lane + 1)];
    const mark = Math.max(3, b - a);
    shapes.push({
      ...{ kind: 'rect', x: (a + b - mark) / 2, y: near.y - 2, width: mark, height: height + 4 },
      ...{ ink: mine < end ? 'text' : 'warning', tip: `${does}; warp ${warp}, lane ${lane % WARP}` },
    });
    y = near.y + height;
  } else {
    y += label * 1.8;
    const words = `Block ${text(block)} has no element in this turn: its threads leave the loop.`;
    shapes.push({ kind: 'text', at: [left, y], text: words, ink: 'text', size: label });
  }
  const index = axisArray('turn', '', 'turn of the loop', [...Array(Math.min(turns, 1000)).keys()]);
  const ofTurn = (one: number): number => (one * stride + thread < elements ? one * stride + thread : Number.NaN);
  return {
    width,
    height: Math.ceil(y + label),
    title: `A grid-stride loop, turn ${turn + 1} of ${text(turns)}`,
    shapes,
    arrays: [
      index,
      curveArray('element', '', `element that thread ${thread} does in it`, index.name, [...index.values].map(ofTurn)),
    ],
    notes: { thread: String(thread), stride: String(stride) },
  };
}
