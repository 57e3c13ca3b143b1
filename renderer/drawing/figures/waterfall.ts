/** From the lowest rung to the fastest variant: how much of the time each step took away. */
import type { MeasuredSessionEntry } from '../../../electron/contract/bench/session.ts';
import { gainOf, measuredTime, tickTime, timesText } from '../../base/measured.ts';
import { curveArray } from '../export/figure.ts';
import { horizontalAxis, horizontalRoom, logLimits, roomBehind } from './axes.ts';
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

/** Row of a bar, in label heights. */
const ROW = 2.5;
const BAR = 1.4;

/** `chain` as `fastestChain` gives it. */
export function waterfallFigure(chain: readonly MeasuredSessionEntry[], { width, label }: FigureSize): Figure {
  const texts = chain.map((entry, i) => (i === 0 || entry.rung === null ? '' : timesText(gainOf(entry.rung))));
  const left = Math.min(width * 0.36, Math.max(...chain.map((entry) => textWidth(entry.label, label))) + 2 * label);
  const right = Math.min(
    width * 0.34,
    Math.max(8 * label, ...texts.map((text) => textWidth(text, label) * 1.08)) + 1.5 * label,
  );
  const height = Math.round(chain.length * ROW * label + horizontalRoom(label) + label);
  const box = { left, top: label / 2, width: width - left - right, height: chain.length * ROW * label };
  const [low, high] = logLimits(chain.map(({ time_s }) => time_s));
  const to = roomBehind(low, high, box.width, 5.5 * label);
  const axis = { title: 'Time', unit: '', kind: 'log', from: low, to, format: tickTime } as const;
  const { x, shapes: axes } = horizontalAxis(axis, box, label);
  const shapes: Shape[] = [...axes];
  chain.forEach((entry, i) => {
    const middle = box.top + (i + 0.5) * ROW * label;
    const top = middle - (BAR * label) / 2;
    const before = chain[i - 1];
    const [now, then] = [x.toPixel(entry.time_s), before === undefined ? box.left : x.toPixel(before.time_s)];
    const ink: Ink = before === undefined ? 'series-8' : entry.time_s <= before.time_s ? 'good' : 'warning';
    const gain = texts[i] ?? '';
    shapes.push({
      kind: 'rect',
      x: Math.min(now, then),
      y: top,
      width: Math.max(1.5, Math.abs(now - then)),
      height: BAR * label,
      ink,
      opacity: 0.85,
      tip: `${entry.label}: ${measuredTime(entry.time_s)}${gain === '' ? '' : `, ${gain} over ${before?.label}`}`,
    });
    if (i + 1 < chain.length) {
      const down: Shape = {
        kind: 'line',
        from: [now, top],
        to: [now, top + ROW * label],
        ink: 'text-muted',
        dash: [2, 2],
      };
      shapes.push(down);
    }
    const baseline = middle + label * 0.35;
    const aside = { kind: 'text', size: label, ink: 'text' } as const;
    shapes.push({
      ...aside,
      at: [left - label * 0.7, baseline],
      text: fitted(entry.label, left - label, label),
      anchor: 'end',
    });
    const time = measuredTime(entry.time_s);
    shapes.push({ ...aside, ink: 'text-muted', at: [Math.max(now, then) + label * 0.5, baseline], text: time });
    shapes.push({ ...aside, at: [box.left + box.width + label * 0.8, baseline], text: gain, bold: true });
  });
  const steps = chain.map(({ rung }, i) =>
    i === 0 || rung === null ? { value: Number.NaN, interval: null } : gainOf(rung),
  );
  return {
    width,
    height,
    title: 'From the lowest rung to the fastest variant',
    shapes,
    arrays: [
      rowAxis(chain.length),
      curveArray(
        'time_s',
        's',
        'median time',
        'row',
        chain.map(({ time_s }) => time_s),
      ),
      ...ratioArrays('gain', 'times faster than the row above', 'row', steps),
    ],
    notes: { rows: chain.map((entry) => entry.label).join(', ') },
  };
}
