/**
 * Figures of a launch along x. The thread map shows threads and their elements in rows of two warps, coloured by block.
 * It omits rows in the middle of a long problem, except those of the chosen thread. The other figure shows one
 * iteration of a grid-stride loop as three strips with increasing zoom: all elements, the elements of the iteration by
 * block, and the block of the chosen thread by warp.
 */
import {
  elementsOfThread,
  type Launch,
  threadOfElement,
  threadPosition,
  threadsAlongX,
} from '../../../electron/domain/launch/launch.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, type Ink, type Shape, seriesInk } from './figure.ts';

const PER_ROW = 64;
const WARP = 32;
/** Maximum number of the chosen thread's elements that are shown. */
const MAX_SHOWN_ITERATIONS = 5;
const MAX_ROWS = 14;
/** Number of block colours. Neighbouring blocks differ, and none has the colour of an error or a warning. */
const BLOCK_INKS = 4;

const text = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** Positions along x: elements and, with one element per thread, the surplus threads after the last element. */
function shownPositions(launch: Launch): number {
  const [elements] = launch.request.elements;
  return Math.max(elements, launch.request.mapping === 'one-per-thread' ? threadsAlongX(launch) : elements);
}

function rowsOf(launch: Launch, thread: number): readonly number[] {
  const places = shownPositions(launch);
  const [elements] = launch.request.elements;
  const row = (place: number): number => Math.floor(Math.min(places - 1, Math.max(0, place)) / PER_ROW);
  const [width] = launch.request.block;
  const wanted = [0, PER_ROW, width, elements - PER_ROW, elements - 1, places - PER_ROW, places - 1];
  const own = elementsOfThread(launch, thread, MAX_SHOWN_ITERATIONS).first;
  const rows = new Set([...wanted, ...own, thread].map(row));
  for (let next = 0; rows.size < MAX_ROWS && next * PER_ROW < places; next += 1) rows.add(next);
  return [...rows].sort((a, b) => a - b);
}

const inkOf = (block: number): Ink => seriesInk(block % BLOCK_INKS);

/** `thread`: index along x, framed wherever it occurs. */
export function threadMapFigure(launch: Launch, thread: number, { width, label }: FigureSize): Figure {
  const places = shownPositions(launch);
  const [elements] = launch.request.elements;
  const [blockWidth] = launch.request.block;
  const left = Math.ceil(text(places).length * label * 0.62 + label);
  const cell = Math.max(4, (width - left - label) / PER_ROW);
  const height = Math.max(label * 1.2, Math.min(cell, label * 1.8));
  const shapes: Shape[] = [];
  const shownElements: number[] = [];
  const shownThreads: number[] = [];
  let y = label * 1.6;
  shapes.push({ kind: 'text', at: [left, label], text: 'Element along x →', ink: 'text-muted', size: label });
  let before = -1;
  for (const row of rowsOf(launch, thread)) {
    if (row > before + 1) {
      const skipped = (row - before - 1) * PER_ROW;
      const words = `⋮ ${text(skipped)} more`;
      shapes.push({ kind: 'text', at: [left, y + label], text: words, ink: 'text-muted', size: label });
      y += label * 1.6;
    }
    before = row;
    const first = row * PER_ROW;
    const middle = y + height / 2 + label * 0.35;
    shapes.push({
      kind: 'text',
      at: [left - label / 2, middle],
      text: text(first),
      ink: 'text-muted',
      size: label,
      anchor: 'end',
    });
    for (let column = 0; column < PER_ROW && first + column < places; column += 1) {
      const place = first + column;
      const { thread: own, block, lane, warp, turn } = threadOfElement(launch, place);
      const x = left + column * cell;
      const idle = place >= elements;
      const who = `block ${text(block)}, thread ${lane} (warp ${warp}, lane ${lane % WARP})`;
      const what = idle ? 'no element' : `element ${text(place)}`;
      shapes.push({
        kind: 'rect',
        x: x + 0.5,
        y,
        width: cell - 1,
        height,
        ink: idle ? 'plot-grid' : inkOf(block),
        // Alternate the opacity of a block's warps.
        opacity: idle ? 1 : warp % 2 === 0 ? 0.85 : 0.5,
        tip: `${what}: ${who}${turn > 0 ? `, after ${text(turn)} others` : ''}`,
      });
      if (lane === 0 && place > 0) {
        shapes.push({ kind: 'line', from: [x, y - 3], to: [x, y + height + 3], ink: 'text', width: 1.5 });
      }
      if (own === thread) {
        shapes.push({ kind: 'frame', x: x - 0.5, y: y - 1.5, width: cell + 1, height: height + 3, ink: 'text' });
        shapes.push({ kind: 'frame', x: x - 1.5, y: y - 2.5, width: cell + 3, height: height + 5, ink: 'text' });
      }
      shownElements.push(place);
      shownThreads.push(idle ? Number.NaN : own);
    }
    y += height + label * 0.7;
  }
  const legend: readonly (readonly [ink: Ink, opacity: number, words: string])[] = [
    [inkOf(0), 0.85, 'colour: block'],
    [inkOf(0), 0.5, 'pale: every second warp'],
    ...(launch.request.mapping === 'one-per-thread' ? [['plot-grid', 1, 'thread without an element'] as const] : []),
  ];
  let at = left;
  y += label * 0.6;
  for (const [ink, opacity, words] of legend) {
    shapes.push({ kind: 'rect', x: at, y: y - label * 0.8, width: label, height: label, ink, opacity });
    shapes.push({ kind: 'text', at: [at + label * 1.4, y], text: words, ink: 'text', size: label });
    at += label * (words.length * 0.56 + 3);
  }
  const index = axisArray('element', '', 'element along x', shownElements);
  return {
    width,
    height: Math.ceil(y + label * 0.6),
    title: 'Threads and elements',
    shapes,
    arrays: [index, curveArray('thread', '', 'thread along x that processes it', index.name, shownThreads)],
    notes: { block: `${blockWidth} threads along x`, mapping: launch.request.mapping },
  };
}

/** Minimum width of a block in pixels; narrower neighbours are merged. */
const MIN_CELL_WIDTH = 2;

/** Iterations of the busiest thread. */
export function iterationsOf(launch: Launch): number {
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
  const turns = iterationsOf(launch);
  const { block, warp, lane } = threadPosition(launch, thread);
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
    const line = b - a > MIN_CELL_WIDTH * 2 ? 1 : 0;
    shapes.push({ kind: 'rect', x: a, y: strip.y, width: b - a - line, height, ink, opacity, tip });
  };
  /** Lines from the ends of a section to the strip below, which enlarges that section. */
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
    `All ${text(elements)} elements, ${text(turns)} ${turns === 1 ? 'iteration' : 'iterations'} of ${text(stride)} threads`,
  );
  bar(all, 0, elements, 'plot-grid', 1, 'to come');
  bar(all, 0, start, 'accent', 0.35, `processed in ${text(turn)} iterations`);
  bar(all, start, end, 'accent', 1, `iteration ${turn + 1}: elements ${text(start)} to ${text(end - 1)}`);
  if (room / turns > MIN_CELL_WIDTH * 3) {
    for (let one = 1; one < turns; one += 1) {
      const x = xOf(all, one * stride);
      shapes.push({ kind: 'line', from: [x, all.y - 2], to: [x, all.y + height + 2], ink: 'plot-axis', width: 1 });
    }
  }
  opens(all, start, Math.min(end, elements));

  const now: Strip = { from: start, to: end, y: all.y + height + gap };
  const blocks = Math.ceil((end - start) / blockWidth);
  head(now.y, `Iteration ${turn + 1}: elements ${text(start)} to ${text(end - 1)}, by ${text(blocks)} blocks`);
  // If blocks are too narrow to distinguish, merge several into one bar.
  const joined = Math.max(1, Math.ceil((blocks * MIN_CELL_WIDTH) / room));
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
    const does = mine < end ? `thread ${lane} processes element ${text(mine)}` : `thread ${lane} has no element left`;
    head(near.y, `Block ${text(block)} in this iteration: ${does}`);
    bar(near, from, to, 'plot-grid', 1, 'beyond the last element');
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
    const words = `Block ${text(block)} has no element in this iteration: its threads leave the loop.`;
    shapes.push({ kind: 'text', at: [left, y], text: words, ink: 'text', size: label });
  }
  const index = axisArray('turn', '', 'iteration of the loop', [...Array(Math.min(turns, 1000)).keys()]);
  const ofTurn = (one: number): number => (one * stride + thread < elements ? one * stride + thread : Number.NaN);
  return {
    width,
    height: Math.ceil(y + label),
    title: `A grid-stride loop, iteration ${turn + 1} of ${text(turns)}`,
    shapes,
    arrays: [
      index,
      curveArray(
        'element',
        '',
        `element that thread ${thread} processes in this iteration`,
        index.name,
        [...index.values].map(ofTurn),
      ),
    ],
    notes: { thread: String(thread), stride: String(stride) },
  };
}
