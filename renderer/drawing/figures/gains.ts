/** Each optimisation alone (over what it stands on) and together (over the lowest rung), with intervals. */
import { timesText } from '../../base/measured.ts';
import { shortNumber } from '../ticks.ts';
import { horizontalAxis, horizontalRoom, logLimits } from './axes.ts';
import {
  type Figure,
  type FigureSize,
  fitted,
  type Ink,
  ratioArrays,
  rowAxis,
  type Shape,
  textWidth,
} from './figure.ts';
import type { Gain } from './ladder.ts';

const ROW = 3;

export function gainsFigure(gains: readonly Gain[], { width, label }: FigureSize): Figure {
  const names = gains.map(({ label: name, base }) => `${name} over ${base}`);
  const left = Math.min(
    width * 0.42,
    Math.max(
      ...gains.flatMap(({ label: name, base }) => [name, `over ${base}`].map((text) => textWidth(text, label))),
    ) +
      2 * label,
  );
  const legend = 1.8 * label;
  const box = { left, top: legend, width: width - left - 1.5 * label, height: gains.length * ROW * label };
  const height = Math.round(box.top + box.height + horizontalRoom(label) + label / 2);
  const values = gains.flatMap(({ alone, together }) =>
    [alone, together].flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]),
  );
  const [low, high] = logLimits([...values, 1], 1.15);
  const format = (value: number): string => `${shortNumber(value)}×`;
  const axis = { title: 'Times faster', unit: '', kind: 'log', from: low, to: high, format } as const;
  const { x, shapes: axes } = horizontalAxis(axis, box, label);
  const one = x.toPixel(1);
  const shapes: Shape[] = [
    ...axes,
    { kind: 'line', from: [one, box.top], to: [one, box.top + box.height], ink: 'text', width: 1.25 },
  ];
  const kinds = [
    { key: 'alone', name: 'alone: over what it stands on', ink: 'series-1', form: 'round', shift: -0.4 },
    { key: 'together', name: 'together: over the lowest rung', ink: 'series-2', form: 'square', shift: 0.4 },
  ] as const satisfies readonly { key: string; name: string; ink: Ink; form: string; shift: number }[];
  gains.forEach((gain, i) => {
    const middle = box.top + (i + 0.5) * ROW * label;
    const aside = { kind: 'text', size: label, anchor: 'end' } as const;
    const room = left - label;
    const [name, over] = [gain.label, `over ${gain.base}`].map((text) => fitted(text, room, label));
    shapes.push({ ...aside, at: [left - label * 0.7, middle - label * 0.25], text: name ?? '', ink: 'text' });
    shapes.push({ ...aside, at: [left - label * 0.7, middle + label * 0.95], text: over ?? '', ink: 'text-muted' });
    for (const { key, ink, form, shift } of kinds) {
      const ratio = gain[key];
      const y = middle + shift * label;
      const against = key === 'alone' ? gain.base : gain.root;
      const tip = `${gain.label}: ${timesText(ratio)} over ${against}`;
      if (ratio.interval !== null) {
        const { low: from, high: to } = ratio.interval;
        shapes.push({ kind: 'line', from: [x.toPixel(from), y], to: [x.toPixel(to), y], ink, width: 2 });
      }
      shapes.push({ kind: 'dot', at: [x.toPixel(ratio.value), y], radius: label * 0.36, ink, form, tip });
    }
  });
  let at = left;
  for (const { name, ink, form } of kinds) {
    shapes.push({ kind: 'dot', at: [at, label * 0.75], radius: label * 0.36, ink, form });
    shapes.push({ kind: 'text', at: [at + label * 0.8, label * 1.1], text: name, ink: 'text', size: label });
    at += textWidth(name, label) + 3 * label;
  }
  return {
    width,
    height,
    title: 'Each optimisation alone and together',
    shapes,
    arrays: [
      rowAxis(gains.length),
      ...ratioArrays(
        'alone',
        'times faster than what it stands on',
        'row',
        gains.map(({ alone }) => alone),
      ),
      ...ratioArrays(
        'together',
        'times faster than the lowest rung',
        'row',
        gains.map(({ together }) => together),
      ),
    ],
    notes: { rows: names.join(', ') },
  };
}
