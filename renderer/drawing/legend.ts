/** The names of curves in rows, each behind a piece of its line. */
import type { Drawing2D } from './context-2d.ts';
import type { DrawingTheme } from './theme.ts';

export interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly dash: readonly number[];
}

const SAMPLE = 24;
const GAP = 6;
const BETWEEN = 18;
const LINES = 1.7;

/** Rows of entries within a width; a name that is wider alone still has its row. */
function rowsOf(
  context: Pick<Drawing2D, 'measureText'>,
  entries: readonly LegendEntry[],
  width: number,
): readonly (readonly (readonly [entry: LegendEntry, left: number])[])[] {
  const rows: (readonly [LegendEntry, number])[][] = [[]];
  let left = 0;
  for (const entry of entries) {
    const size = SAMPLE + GAP + context.measureText(entry.name).width;
    if (left > 0 && left + size > width) {
      rows.push([]);
      left = 0;
    }
    rows.at(-1)?.push([entry, left]);
    left += size + BETWEEN;
  }
  return rows;
}

/** Height that a legend of about `count` names takes, generously: names are measured when they are drawn. */
export function legendHeight(count: number, theme: DrawingTheme): number {
  return count < 2 ? 0 : Math.ceil(count / 2) * theme.labelSize * LINES;
}

/** From `top` downwards, within `left` … `left + width`. */
export function drawLegend(
  context: Drawing2D,
  entries: readonly LegendEntry[],
  { left, top, width }: { readonly left: number; readonly top: number; readonly width: number },
  theme: DrawingTheme,
): void {
  context.font = `${theme.labelSize}px ${theme.family}`;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineWidth = 1.6;
  for (const [row, places] of rowsOf(context, entries, width).entries()) {
    const y = top + (row + 0.5) * theme.labelSize * LINES;
    for (const [{ name, color, dash }, from] of places) {
      context.strokeStyle = color;
      context.setLineDash([...dash]);
      context.beginPath();
      context.moveTo(left + from, y);
      context.lineTo(left + from + SAMPLE, y);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = theme.text;
      context.fillText(name, left + from + SAMPLE + GAP, y);
    }
  }
}
