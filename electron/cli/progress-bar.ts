/** One line on standard error that redraws itself, only where a person watches. */
import { displayWidth } from './table.ts';
import { shown, type Terminal } from './terminal.ts';

/** Redrawing faster than this cannot be read. */
const redraw_ms = 80;
const barCells = 24;
/** Eighths of a cell, so that the bar moves smoothly. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
/** Width if the terminal does not report one. */
const usualColumns = 80;

/** `fraction` from 0 to 1 as a bar of fixed width; null: nothing is known yet. */
export function bar(fraction: number | null, cells = barCells): string {
  const filled = Math.min(1, Math.max(0, fraction ?? 0)) * cells;
  const whole = Math.floor(filled);
  const part = eighths[Math.floor((filled - whole) * 8)] ?? '';
  return `${'█'.repeat(whole)}${part}`.padEnd(cells, '░');
}

/** Cuts text that would wrap: a wrapped line cannot be redrawn. */
export function cutLine(text: string, columns: number): string {
  return displayWidth(text) < columns ? text : `${[...text].slice(0, Math.max(0, columns - 2)).join('')}…`;
}

export class ProgressBar {
  private readonly terminal: Terminal;
  private drawn = false;
  private last_ms = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Draws `line` unless the last one is too fresh or nobody watches. */
  draw(line: string): void {
    const now = performance.now();
    if (!this.terminal.isLive || now - this.last_ms < redraw_ms) return;
    this.last_ms = now;
    this.drawn = true;
    const { live } = this.terminal;
    live.write(`\r\u001B[2K${shown(cutLine(line, live.columns || usualColumns))}`);
  }

  /** Leaves an empty line for what comes next. */
  clear(): void {
    if (this.drawn) this.terminal.live.write('\r\u001B[2K');
    this.drawn = false;
  }
}
