/** The steps of a sum over a block: one row each, one cell per warp, as full as lanes of it add. */
import { type Reduction, reductionTitles } from '../../../electron/contract/launch/reduction.ts';
import { axisArray, curveArray } from '../export/figure.ts';
import { type Figure, type FigureSize, fitted, type Shape } from './figure.ts';

const WARP = 32;

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
    const words = fitted(step.text, text - label, label);
    shapes.push({ kind: 'text', at: [label / 2, middle], text: words, ink: 'text', size: label });
    for (let warp = 0; warp < warps; warp += 1) {
      const size = Math.min(WARP, threads - warp * WARP);
      const lanes = step.lanes[warp] ?? 0;
      const x = text + warp * cell;
      const tip = `warp ${warp}: ${lanes} of ${size} lanes add${lanes > 0 && lanes < size ? ', divergent' : ''}`;
      shapes.push({ kind: 'rect', x: x + 0.5, y, width: cell - 1, height, ink: 'plot-grid', tip });
      if (lanes === 0) continue;
      // Filled from below as far as lanes add; what diverges in the colour of warnings.
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
        'warps with such a thread',
        steps.map((one) => one.warps),
      ),
      column(
        'divergent',
        'warps of which some lanes add and some do not',
        steps.map((one) => one.divergent),
      ),
      column(
        'ways',
        'accesses to one bank of shared memory at once',
        steps.map((one) => one.ways),
      ),
    ],
    notes: Object.fromEntries(steps.map(({ text: words }, i) => [`step_${i + 1}`, words])),
  };
}
