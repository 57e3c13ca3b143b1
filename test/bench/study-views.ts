/**
 * Shows a study of a hundred thousand points in every view of the built workbench, in a real Chromium. Prints the time
 * until each view is complete, and the processor time within it. Run by `npm run bench -- studies`; `--rows N` for
 * another size. Processor time is of the benchmark and its child processes, because wall time is unreliable on a shared
 * machine.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../e2e/chromium.ts';
import { serve } from '../e2e/served.ts';
import { writeWideStudy } from '../wide-study.ts';

/** Linux reports processor times in these ticks on every architecture. */
const TICKS_A_SECOND = 100;

/** Parent and processor seconds of a process; null if it has ended meanwhile. */
function processTimes(pid: string): { readonly parent: number; readonly seconds: number } | null {
  try {
    // The process name in brackets may contain any character, so fields are counted after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const at = (i: number): number => Number(fields[i] ?? 0);
    // Times of the process and of its children that have ended.
    return { parent: at(1), seconds: (at(11) + at(12) + at(13) + at(14)) / TICKS_A_SECOND };
  } catch {
    return null;
  }
}

/** Processor seconds of this process and its descendants; null if the system does not report them. */
function processorSeconds(): number | null {
  if (process.platform !== 'linux') return null;
  const all = new Map<number, { readonly parent: number; readonly seconds: number }>();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? processTimes(name) : null;
    if (found !== null) all.set(Number(name), found);
  }
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === process.pid) return true;
    return false;
  };
  return [...all].reduce((sum, [pid, { seconds }]) => (isOurs(pid) ? sum + seconds : sum), 0);
}

const DEFAULT_POINTS = 100_000;
/** Number of points of a first study, which only loads the drawing code before the measurement. */
const WARM_UP_POINTS = 10_000;
const TARGET_S = 1;
const WAIT_MS = 600_000;
const at = process.argv.indexOf('--rows');
const ROWS = at < 0 ? DEFAULT_POINTS : Number(process.argv[at + 1]);

/** Whether the plot of that view exists and contains every point. This function runs in the page. */
function isDrawn({ look, count }: { readonly look: string; readonly count: number }): boolean {
  type Trace = {
    readonly type: string;
    readonly mode?: string;
    readonly fill?: string;
  };
  const plot = document.querySelector('.studies__plot .js-plotly-plot');
  const traces = (Reflect.get(plot ?? {}, 'data') ?? []) as readonly Trace[];
  if (look === 'Heat map') return traces.some(({ type }) => type === 'heatmap');
  if (look === 'Parallel') return document.querySelector(`.studies__parallel canvas[data-lines="${count}"]`) !== null;
  const there = Number(document.querySelector<HTMLElement>('.studies__plot .chart-plot__dots')?.dataset['dots'] ?? 0);
  const bands = traces.filter(({ fill }) => fill === 'tonexty').length;
  const lines = traces.filter(({ type, mode }) => type === 'scatter' && mode === 'lines').length;
  return (
    there === count &&
    (look === 'Intervals' ? bands > 0 : look === 'Lines' ? lines > 1 : look === 'Pareto' ? lines === 1 : lines === 0)
  );
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-studies-bench-'));
try {
  const began = performance.now();
  await writeWideStudy(path.join(folder, 'library', 'studies', 'wide.study'), ROWS);
  await writeWideStudy(path.join(folder, 'library', 'studies', 'few.study'), WARM_UP_POINTS);
  print(`${ROWS} points written in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const served = await serve([], { BRAGGBENCH_HOME: folder });
  const { executablePath, args, env } = await findChromium();
  const browser = await chromium.launch({ executablePath, args: [...args], env });
  let missed = 0;
  try {
    const page: Page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(served.url);
    await page.getByRole('radio', { name: 'Compare', exact: true }).check();
    await page.getByRole('tab', { name: 'Studies' }).click();
    await page.getByRole('button', { name: 'Enlarge Studies' }).click();
    const rows = page.getByTestId('study-rows');
    await page.getByLabel('Study', { exact: true }).selectOption('wide');
    const filled = (count: number): Promise<unknown> =>
      page.waitForSelector(`[data-testid="study-rows"][aria-rowcount="${count + 1}"]`, { timeout: WAIT_MS });
    const timed = async (what: string, work: () => Promise<unknown>, bound = true): Promise<void> => {
      const begun = performance.now();
      const before_s = processorSeconds();
      await work();
      // The plot is on the screen after two more frames.
      await page.evaluate(
        () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
      );
      const took = (performance.now() - begun) / 1000;
      const is = !bound ? '' : took <= TARGET_S ? '  met' : '  MISSED';
      if (bound && took > TARGET_S) missed += 1;
      const now_s = processorSeconds();
      const busy = now_s === null || before_s === null ? '' : `, processor ${(now_s - before_s).toFixed(2)} s`;
      print(`  ${what.padEnd(34)} ${took.toFixed(2)} s${is}${busy}`);
    };
    print(
      `load of the machine: ${loadavg()[0]?.toFixed(2)}. Target: at most ${TARGET_S} s for each view after the files have been read`,
    );
    await timed('first view, files read', () => filled(ROWS), false);
    const sorted = (order: string): Promise<unknown> =>
      page.waitForSelector(`[data-testid="study-rows"] th[aria-sort="${order}"]`, { timeout: WAIT_MS });
    await timed('sorted by time', async () => {
      await rows.getByRole('button', { name: /^time_s \[/ }).click();
      await sorted('ascending');
    });
    await timed('the last row', async () => {
      await page
        .getByRole('region', { name: /^Results of/ })
        .evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
      await page.waitForSelector(`[data-testid="study-rows"] tr[aria-rowindex="${ROWS + 1}"]`, { timeout: WAIT_MS });
    });
    await timed('grouped', async () => {
      await page.getByLabel('Group by').selectOption('solver.variant');
      await filled(4);
    });
    await page.getByLabel('Group by').selectOption('no groups');
    await filled(ROWS);
    await timed('transposed', async () => {
      await page.getByRole('checkbox', { name: 'Transpose' }).check();
      await page.waitForSelector(`[data-testid="study-rows"][aria-colcount]`, { timeout: WAIT_MS });
    });
    await page.getByRole('checkbox', { name: 'Transpose' }).uncheck();
    await filled(ROWS);
    const looks = ['Lines', 'Points', 'Pareto', 'Heat map', 'Parallel'] as const;
    const plotted = async (count: number, bound: boolean): Promise<void> => {
      for (const look of looks)
        await timed(
          `${look.toLowerCase()} of ${count}`,
          async () => {
            await page.getByRole('radio', { name: look, exact: true }).check({ timeout: WAIT_MS });
            await page.waitForFunction(isDrawn, { look, count }, { timeout: WAIT_MS });
          },
          bound,
        );
      await page.getByRole('radio', { name: 'Lines', exact: true }).check();
      await page.waitForFunction(isDrawn, { look: 'Lines', count }, { timeout: WAIT_MS });
      await timed(
        `lines with intervals of ${count}`,
        async () => {
          await page.getByLabel('Up', { exact: true }).selectOption('measure time_s');
          await page.waitForFunction(isDrawn, { look: 'Intervals', count }, { timeout: WAIT_MS });
        },
        bound,
      );
    };
    const choose = async (study: string, count: number): Promise<void> => {
      await page.getByLabel('Study', { exact: true }).selectOption(study);
      await filled(count);
      await page.getByRole('radio', { name: 'Plot', exact: true }).check();
    };
    print('first plots, which load the drawing code');
    await choose('few', WARM_UP_POINTS);
    await plotted(WARM_UP_POINTS, false);
    await choose('wide', ROWS);
    print('then');
    await plotted(ROWS, true);
  } finally {
    await browser.close();
    await served.stop();
  }
  process.exitCode = missed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
