/** Progress line of a run on standard error, which is redrawn if standard error is a terminal. */
import { completedFraction, type ProgressDetail, type RunProgress, type WorkloadProgress } from '../contract/run.ts';
import { measuredTime } from '../domain/measured.ts';
import { displayWidth } from './table.ts';
import { escapeForTerminal, type Terminal } from './terminal.ts';

/** Interval between redraws, ms. Faster changes are not readable. */
const REDRAW_MS = 80;
const barCells = 24;
/** Characters that fill zero to seven eighths of a cell, for smooth movement. */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;
/** Width in columns if the terminal does not report one. */
const defaultColumns = 80;

/** Draws a bar of fixed width for a fraction from 0 to 1; null for unknown progress. */
export function formatBar(fraction: number | null, cells = barCells): string {
  const filled = Math.min(1, Math.max(0, fraction ?? 0)) * cells;
  const whole = Math.floor(filled);
  const part = eighths[Math.floor((filled - whole) * 8)] ?? '';
  return `${'█'.repeat(whole)}${part}`.padEnd(cells, '░');
}

/** Truncates a line to the width of the terminal, because a wrapped line could not be redrawn. */
export function truncateLine(text: string, columns: number): string {
  return displayWidth(text) < columns ? text : `${[...text].slice(0, Math.max(0, columns - 2)).join('')}…`;
}

export class ProgressBar {
  private readonly terminal: Terminal;
  private drawn = false;
  private last_ms = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal) {
    this.terminal = terminal;
  }

  /** Redraws the line, unless the last redraw was too recent or the output is not a terminal. */
  draw(line: string): void {
    const now = performance.now();
    if (!this.terminal.isErrorTerminal || now - this.last_ms < REDRAW_MS) return;
    this.last_ms = now;
    this.drawn = true;
    const { errorStream } = this.terminal;
    errorStream.write(`\r\u001B[2K${escapeForTerminal(truncateLine(line, errorStream.columns || defaultColumns))}`);
  }

  /** Clears the line before other output. */
  clear(): void {
    if (this.drawn) this.terminal.errorStream.write('\r\u001B[2K');
    this.drawn = false;
  }
}

/** Function that describes a workload's progress in words. */
export type ProgressTexts<W extends ProgressDetail['workload']> = (detail: WorkloadProgress<W>) => readonly string[];

/**
 * Progress line of a run; null if the run is not active. The most important parts come first, because a narrow terminal
 * truncates the line.
 */
export function progressLine<W extends ProgressDetail['workload']>(
  progress: RunProgress,
  words: ProgressTexts<W>,
): string | null {
  if (progress.state !== 'running') return null;
  const share = completedFraction(progress);
  const parts = [formatBar(share)];
  if (share !== null && progress.eta_s !== null) {
    parts.push(`${String(Math.floor(share * 100)).padStart(2)} %`, `${measuredTime(progress.eta_s)} left`);
  }
  return [...parts, ...words(progress.detail as WorkloadProgress<W>)].join('  ');
}
