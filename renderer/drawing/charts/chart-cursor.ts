/** Cursor of a chart: converts positions on the page to values, and draws lines across the panes at values. */
import type { Box } from '../axes.ts';
import { scaleOf } from '../figures/axes.ts';
import type { Chart } from './chart.ts';

/** Value of the horizontal axis at a position in the chart's element; null outside all plots. */
export function valueAt(chart: Chart | null, boxes: readonly Box[], x: number, y: number): number | null {
  const i = boxes.findIndex(
    ({ left, top, width, height }) => x >= left && x <= left + width && y >= top && y <= top + height,
  );
  const [box, pane] = [boxes[i], chart?.panes[i]];
  return box === undefined || pane === undefined ? null : scaleOf(pane.x, box.left, box.left + box.width).toValue(x);
}

/** Lines over the chart, so that moving the pointer moves one line without redrawing. */
export class CursorLines {
  readonly #host: HTMLElement;
  readonly #lines: HTMLElement[] = [];
  #cursor: number | null = null;
  #mark: number | null = null;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Position of the pointer on the horizontal axis; null if it is elsewhere. */
  get cursor(): number | null {
    return this.#cursor;
  }

  /** Sets the positions of the pointer and of the mark that all panels share. Returns whether either has changed. */
  set(cursor: number | null, mark: number | null): boolean {
    if (cursor === this.#cursor && mark === this.#mark) return false;
    this.#cursor = cursor;
    this.#mark = mark;
    return true;
  }

  /** Places a line for the cursor and one for the mark across every pane that shares the axis. */
  place(chart: Chart | null, boxes: readonly Box[]): void {
    let used = 0;
    for (const [i, box] of boxes.entries()) {
      const pane = chart?.panes[i];
      if (pane === undefined || (i > 0 && chart?.linked !== true)) continue;
      const scale = scaleOf(pane.x, box.left, box.left + box.width);
      for (const [at, name] of [
        [this.#mark, 'chart-plot__mark'],
        [this.#cursor, 'chart-plot__cursor'],
      ] as const) {
        const x = at === null ? Number.NaN : scale.toPixel(at);
        if (!(x >= box.left && x <= box.left + box.width)) continue;
        this.#show(used, name, box, x);
        used += 1;
      }
    }
    for (const line of this.#lines.slice(used)) line.hidden = true;
  }

  #show(index: number, name: string, { top, height }: Box, x: number): void {
    const line = this.#lines[index] ?? document.createElement('div');
    if (this.#lines[index] === undefined) {
      this.#lines.push(line);
      this.#host.append(line);
    }
    line.className = name;
    line.hidden = false;
    const style = { top: `${top}px`, height: `${height}px`, transform: `translateX(${Math.round(x)}px)` };
    Object.assign(line.style, style);
  }
}
