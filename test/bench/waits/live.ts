/**
 * Measures Live in the built workbench in a real Chromium: the energy is dragged with and without Live, in one page.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '../../e2e/chromium.ts';
import { serve } from '../../e2e/served.ts';
import { frameCosts, quantile, TRACE_CATEGORIES } from '../main-thread.ts';
import { root } from './processes.ts';
import {
  liveProcessorTime_s,
  liveTarget,
  median,
  milliseconds,
  type Row,
  rowWithLowerLimit,
  rowWithUpperLimit,
} from './row.ts';

const DRAG_MS = 6000;
const FRAME_MS = 16;

interface LiveCounts {
  readonly frames: number;
  readonly answers: number;
  readonly solved_ms: readonly number[];
  readonly coarser: string;
  readonly at_ms: number;
}

/** Counts frames, and answers that are drawn. */
async function countFramesAndAnswers(page: Page): Promise<() => Promise<LiveCounts>> {
  const counts = await page.evaluateHandle(() => {
    const seen = { frames: 0, answers: 0, last: '', coarser: '', solved_ms: [] as number[] };
    const frame = (): void => {
      seen.frames += 1;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const look = (): void => {
      const note = document.querySelector<HTMLElement>('[data-testid="live-note"]');
      const answer = note?.dataset['answer'] ?? '';
      if (note === null || answer === '' || answer === seen.last) return;
      seen.last = answer;
      if (note.dataset['full'] === 'true') return;
      seen.answers += 1;
      seen.coarser = note.querySelector('p')?.textContent ?? '';
      seen.solved_ms.push(Number(/solved in (\d+) ms/.exec(note.textContent ?? '')?.[1]));
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    return seen;
  });
  return () => counts.evaluate(({ last: _, ...seen }) => ({ ...seen, at_ms: performance.now() }));
}

/** Processor time of a process in seconds; NaN if the system does not report it. */
function processorTime(pid: number): number {
  try {
    const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time of the process, in ticks of a hundredth of a second.
    return (Number(words[11]) + Number(words[12])) / 100;
  } catch {
    return Number.NaN;
  }
}

/** Drags the energy to and fro over ten steps of 1 MeV; returns frames and answers per second. */
async function dragEnergy(page: Page, seen: () => Promise<LiveCounts>) {
  const energy = page.getByLabel('Energy', { exact: true });
  const box = await energy.locator('xpath=..').locator('.number-field__unit').boundingBox();
  if (box === null) throw new Error('the unit of the energy is not on the page');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const before = await seen();
  for (let i = 0; (await seen()).at_ms - before.at_ms < DRAG_MS; i += 1) {
    const way = i % 20;
    const moved = page.mouse.move(x + 4 * (way < 10 ? way : 20 - way), y);
    await Promise.all([moved, page.waitForTimeout(FRAME_MS)]);
  }
  const after = await seen();
  await page.mouse.up();
  const passed_s = (after.at_ms - before.at_ms) / 1000;
  return {
    frames: (after.frames - before.frames) / passed_s,
    answers: (after.answers - before.answers) / passed_s,
    solved_s: median(after.solved_ms.slice(before.solved_ms.length)) / 1000,
    coarser: after.coarser,
  };
}

export async function liveRows(gpu: boolean, say: (text: string) => void): Promise<readonly Row[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'braggbench-live-bench-'));
  const scenario = path.join(root, 'assets/scenarios/water-70MeV.json');
  const served = await serve(['--scenario', scenario], { BRAGGBENCH_HOME: home });
  const { executablePath, args, env } = await findChromium();
  const browser = await chromium.launch({ executablePath, args: [...args], env });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(served.url);
    const live = page.getByRole('banner').getByRole('button', { name: /^Live/ });
    const atRest = () => page.getByTestId('live-note').getByText('At rest').waitFor({ timeout: 120_000 });
    await page.waitForFunction(() => document.querySelector('h1')?.textContent?.includes('water-70MeV'));
    // At a first start, the gallery of questions covers the form.
    await page.getByRole('tab', { name: 'Scenario', exact: true }).click();
    const seen = await countFramesAndAnswers(page);
    // The page shows a complete answer before each drag: when Live is switched off, the last answer remains.
    await live.click();
    await atRest();
    await dragEnergy(page, seen);
    await atRest();
    await live.click();
    const without = await dragEnergy(page, seen);
    await live.click();
    await atRest();
    const begun_s = processorTime(served.pid);
    const withLive = await dragEnergy(page, seen);
    const cost_s = (processorTime(served.pid) - begun_s) / (withLive.answers * (DRAG_MS / 1000));
    await atRest();
    await browser.startTracing(page, { categories: TRACE_CATEGORIES, screenshots: false });
    await dragEnergy(page, seen);
    const costs = frameCosts((await browser.stopTracing()).toString('utf8'));
    say(`  Live: ${withLive.coarser}`);
    const times = (value: number): string => `${value.toPrecision(3)}×`;
    const ms = (value: number): string => `${value.toPrecision(3)} ms`;
    return [
      rowWithLowerLimit(liveTarget(gpu), withLive.answers, 1 / withLive.solved_s),
      rowWithUpperLimit(
        {
          what: 'processor time of all cores of the host for such an answer',
          limit: liveProcessorTime_s(gpu),
          text: milliseconds,
        },
        Number.isNaN(cost_s) ? null : cost_s,
      ),
      rowWithLowerLimit(
        { what: "the page's frames a second while dragging, with Live relative to without", limit: 0.9, text: times },
        withLive.frames / without.frames,
        1,
      ),
      rowWithUpperLimit(
        { what: "the page's main thread in a frame while dragging, processor time, median", limit: 16, text: ms },
        quantile(costs.total, 0.5),
      ),
    ];
  } finally {
    await browser.close();
    await served.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
