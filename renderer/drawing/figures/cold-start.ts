/** Set-up of a first and of a later run, broken into its parts. */

import type { MeasuredSessionEntry } from '../../../electron/contract/bench/session.ts';
import { measuredTime } from '../../base/measured.ts';
import { curveArray, identifier } from '../export/figure.ts';
import { horizontalAxis, horizontalRoom } from './axes.ts';
import { type Figure, type FigureSize, fitted, rowAxis, type Shape, seriesInk, textWidth } from './figure.ts';

const ROW = 3.4;
const BAR = 1.2;

/** What set-up took besides its named parts. */
const REST = 'other';

type Parts = MeasuredSessionEntry['setup_parts'];

function partsOf({ setup_parts, first_setup_s, setup_s }: MeasuredSessionEntry): Parts {
  const rest = (whole: number | null, key: 'first_s' | 'warm_s'): number | null =>
    whole === null
      ? null
      : Math.max(
          0,
          setup_parts.reduce((left, part) => left - (part[key] ?? 0), whole),
        );
  const first_s = rest(first_setup_s ?? setup_s, 'first_s');
  // Where later set-ups were not broken into parts, all of theirs is one.
  const warm_s = first_setup_s === null ? null : rest(setup_s, 'warm_s');
  return [...setup_parts, { name: REST, first_s, warm_s }];
}

const bothKinds = [
  { key: 'first_s', name: 'first' },
  { key: 'warm_s', name: 'later' },
] as const;

export function coldStartFigure(given: readonly MeasuredSessionEntry[], { width, label }: FigureSize): Figure {
  const entries = given.map((entry) => ({ label: entry.label, setup_parts: partsOf(entry) }));
  const knowsLater = entries.some(({ setup_parts }) => setup_parts.some(({ warm_s }) => warm_s !== null));
  const kinds = knowsLater ? bothKinds : bothKinds.slice(0, 1);
  const names = [...new Set(entries.flatMap(({ setup_parts }) => setup_parts.map(({ name }) => name)))];
  const widest = Math.max(0, ...entries.map((entry) => textWidth(entry.label, label)));
  const left = Math.min(width * 0.4, widest + textWidth('later', label) + 3 * label);
  const perLine = Math.max(1, Math.floor(width / (9.5 * label)));
  const legend = Math.ceil(names.length / perLine) * 1.6 * label + label * 0.6;
  const right = 6 * label;
  const box = { left, top: legend, width: width - left - right, height: entries.length * ROW * label };
  const sums = entries.flatMap(({ setup_parts }) =>
    kinds.map(({ key }) => setup_parts.reduce((a, part) => a + (part[key] ?? 0), 0)),
  );
  const longest = Math.max(1e-9, ...sums);
  const unit = longest < 1e-3 ? 1e-6 : longest < 1 ? 1e-3 : 1;
  const title = unit === 1 ? 's' : unit === 1e-3 ? 'ms' : 'µs';
  const axis = { title: 'Set-up', unit: title, kind: 'linear', from: 0, to: (longest / unit) * 1.02 } as const;
  const { x, shapes: axes } = horizontalAxis(axis, box, label);
  const shapes: Shape[] = [...axes];
  names.forEach((name, i) => {
    const at = [label * 0.5 + (i % perLine) * 9.5 * label, (Math.floor(i / perLine) + 0.7) * 1.6 * label] as const;
    shapes.push({
      kind: 'dot',
      at: [at[0] + label * 0.4, at[1]],
      radius: label * 0.45,
      ink: seriesInk(i),
      form: 'square',
    });
    shapes.push({
      kind: 'text',
      at: [at[0] + label * 1.3, at[1] + label * 0.35],
      text: name,
      ink: 'text',
      size: label,
    });
  });
  entries.forEach((entry, row) => {
    const middle = box.top + (row + 0.5) * ROW * label;
    shapes.push({
      kind: 'text',
      at: [left - textWidth('later', label) - label * 1.6, middle + label * 0.35],
      text: fitted(entry.label, left - textWidth('later', label) - label * 2, label),
      ink: 'text',
      size: label,
      anchor: 'end',
    });
    kinds.forEach(({ key, name }, k) => {
      const top = middle + (k === 0 ? -BAR - 0.15 : 0.15) * label;
      let sum = 0;
      for (const [i, part] of names.entries()) {
        const seconds = entry.setup_parts.find((one) => one.name === part)?.[key] ?? 0;
        const [from, to] = [x.toPixel(sum / unit), x.toPixel((sum + seconds) / unit)];
        sum += seconds;
        const tip = `${entry.label}, ${name} run: ${part} ${measuredTime(seconds)}`;
        if (to - from > 0.05) {
          shapes.push({ kind: 'rect', x: from, y: top, width: to - from, height: BAR * label, ink: seriesInk(i), tip });
        }
      }
      const baseline = top + label * 0.95;
      const aside = { kind: 'text', size: label, ink: 'text-muted' } as const;
      shapes.push({ ...aside, at: [left - label * 0.6, baseline], text: name, anchor: 'end' });
      shapes.push({ ...aside, at: [x.toPixel(sum / unit) + label * 0.5, baseline], text: measuredTime(sum) });
    });
  });
  const height = Math.round(box.top + box.height + horizontalRoom(label) + label / 2);
  const arrays = names.flatMap((name) =>
    kinds.map(({ key, name: which }) => {
      const values = entries.map(({ setup_parts }) => setup_parts.find((part) => part.name === name)?.[key] ?? 0);
      return curveArray(`${identifier(name)}_${key}`, 's', `${name}, ${which} run`, 'row', values);
    }),
  );
  return {
    width,
    height,
    title: 'Set-up of a first and of a later run, part by part',
    shapes,
    arrays: [rowAxis(entries.length), ...arrays],
    notes: { rows: entries.map((entry) => entry.label).join(', ') },
  };
}
