/** A benchmark as it is measured: a table that grows in place on a terminal, else a line every few seconds. */
import { gainOf, timesText } from '../../renderer/base/measured.ts';
import type { BenchProgress } from '../host/model/bench/index.ts';
import { duration } from './numbers.ts';
import { cutLine } from './progress-bar.ts';
import { table } from './table.ts';
import { shown, type Terminal } from './terminal.ts';

/** A terminal is redrawn as often, and a pipe gets a line as often. */
const [REDRAW_MS, LINE_MS] = [250, 5000] as const;
const ESC = '\u001B';
/** Where the terminal does not say how wide it is. */
const usualColumns = 80;

const columns = [
  { title: 'Variant' },
  { title: 'Time so far', align: 'right' },
  { title: 'Times as fast', align: 'right' },
] as const;

export class BenchProgressView {
  readonly #terminal: Terminal;
  readonly #mostSeconds: number;
  readonly #timer: NodeJS.Timeout;
  #latest: { readonly progress: BenchProgress; readonly at_ms: number } | null = null;
  #drawn = 0;
  #due_ms = 0;
  #said_ms: number;

  constructor(terminal: Terminal, mostSeconds: number) {
    this.#terminal = terminal;
    this.#mostSeconds = mostSeconds;
    this.#said_ms = performance.now();
    this.#timer = setInterval(() => this.#show(), REDRAW_MS);
    this.#timer.unref();
  }

  update(progress: BenchProgress): void {
    this.#latest = { progress, at_ms: performance.now() };
    if (this.#terminal.isLive && performance.now() >= this.#due_ms) this.#show();
  }

  /** Leaves an empty line for the result. */
  close(): void {
    clearInterval(this.#timer);
    this.#erase();
  }

  #show(): void {
    if (this.#latest === null) return;
    const { progress, at_ms } = this.#latest;
    const now_ms = performance.now();
    const line = statusText(progress, progress.elapsed_s + (now_ms - at_ms) / 1000, this.#mostSeconds);
    if (this.#terminal.isLive) this.#draw([...tableOf(progress), line]);
    else if (now_ms - this.#said_ms >= LINE_MS) {
      this.#said_ms = now_ms;
      this.#terminal.say([line, ...progress.latest.map(rowText)].join('; '));
    }
  }

  #draw(lines: readonly string[]): void {
    const { live } = this.#terminal;
    this.#erase();
    const width = live.columns || usualColumns;
    live.write(lines.map((line) => shown(cutLine(line, width))).join('\n'));
    this.#drawn = lines.length;
    this.#due_ms = performance.now() + REDRAW_MS;
  }

  #erase(): void {
    if (this.#drawn === 0) return;
    const up = this.#drawn > 1 ? `${ESC}[${this.#drawn - 1}A` : '';
    this.#terminal.live.write(`\r${up}${ESC}[J`);
    this.#drawn = 0;
  }
}

function statusText({ phase, variant, round }: BenchProgress, elapsed_s: number, mostSeconds: number): string {
  const what = phase === 'rounds' ? `round ${round + 1}` : phase;
  const limit = Number.isFinite(mostSeconds) ? ` of at most ${duration(mostSeconds)}` : '';
  return `${what}: ${variant}, ${duration(elapsed_s)}${limit}`;
}

type Row = BenchProgress['latest'][number];

const rowText = ({ label, time_s, ratio }: Row): string =>
  `${label} ${duration(time_s)}${ratio === null ? '' : ` (${timesText(gainOf(ratio))})`}`;

function tableOf({ latest }: BenchProgress): readonly string[] {
  if (latest.length === 0) return [];
  const rows = latest.map(({ label, time_s, ratio }, i) => [
    label,
    duration(time_s),
    ratio === null ? (i === 0 ? '1' : '–') : timesText(gainOf(ratio)),
  ]);
  return table(columns, rows);
}
