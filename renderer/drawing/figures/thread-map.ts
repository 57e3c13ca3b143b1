/**
 * Which thread does which element: elements along x in rows of two warps, each in the colour of the block
 * whose thread does it. Rows in the middle of a long problem are left out; those of one chosen thread are not.
 */
import type { Launch } from '../../../electron/contract/launch/launch.ts';
import { elementsOfThread, threadOfElement, threadsAlongX } from '../../../electron/contract/launch/mapping.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, type Ink, type Shape, seriesInk } from './figure.ts';

const PER_ROW = 64;
const WARP = 32;
/** Number of the chosen thread's elements that are shown. */
const TURNS_SHOWN = 5;
const MOST_ROWS = 14;
/** Colours of blocks: neighbours differ, and none is a colour of errors or warnings. */
const BLOCK_INKS = 4;

const text = (value: number): string => value.toLocaleString('en').replaceAll(',', '\u202f');

/** Places along x: elements, and with one element per thread the threads behind the last. */
function placesOf(launch: Launch): number {
  const [elements] = launch.request.elements;
  return Math.max(elements, launch.request.mapping === 'one-per-thread' ? threadsAlongX(launch) : elements);
}

function rowsOf(launch: Launch, thread: number): readonly number[] {
  const places = placesOf(launch);
  const [elements] = launch.request.elements;
  const row = (place: number): number => Math.floor(Math.min(places - 1, Math.max(0, place)) / PER_ROW);
  const [width] = launch.request.block;
  const wanted = [0, PER_ROW, width, elements - PER_ROW, elements - 1, places - PER_ROW, places - 1];
  const own = elementsOfThread(launch, thread, TURNS_SHOWN).first;
  const rows = new Set([...wanted, ...own, thread].map(row));
  for (let next = 0; rows.size < MOST_ROWS && next * PER_ROW < places; next += 1) rows.add(next);
  return [...rows].sort((a, b) => a - b);
}

const inkOf = (block: number): Ink => seriesInk(block % BLOCK_INKS);

/** `thread` along x is framed wherever it occurs. */
export function threadMapFigure(launch: Launch, thread: number, { width, label }: FigureSize): Figure {
  const places = placesOf(launch);
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
        // Warps of a block take turns in strength.
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
    arrays: [index, curveArray('thread', '', 'thread along x that does it', index.name, shownThreads)],
    notes: { block: `${blockWidth} threads along x`, mapping: launch.request.mapping },
  };
}
