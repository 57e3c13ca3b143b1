/** The timeline in detail: ranges, notes, two timelines compared, runs on the CPU, Nsight, and every size and theme. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { writeNsight } from '../electron/host/model/timeline/import/nsight-file.ts';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility, inEveryAppearance } from './appearance-page.ts';
import {
  bench,
  blocks,
  canvas,
  closeAllTimelines,
  colouredPixels,
  details,
  factLocator,
  golden,
  open,
  openProfile,
  openRecorded,
  runs,
  shownSpan,
  useTimeline,
} from './timeline-page.ts';

const { home } = useTimeline();

describe('the timeline of a recorded run', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
    await openRecorded();
  });

  it('summarises a time range dragged on the ruler', async () => {
    const box = (await canvas().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await open.page.mouse.move(box.x + box.width * 0.8, box.y + 8);
    await open.page.mouse.down();
    await open.page.mouse.move(box.x + box.width * 0.95, box.y + 8, { steps: 4 });
    await open.page.mouse.up();
    const selection = open.page.getByTestId('selection-details');
    await selection.getByRole('table', { name: 'By name' }).waitFor();
    // Kernels and copies are separate from the host's calls and waits.
    const lanes = selection.getByTestId('selection-lanes').getByRole('row');
    await expect.poll(() => lanes.nth(1).textContent()).toContain('GPU');
    await expect.poll(() => lanes.last().textContent()).toContain('host');
    expect(Number((await factLocator(selection, 'Spans').textContent())?.replace(/\D/g, ''))).toBeGreaterThan(100);
    for (const name of ['Sum', 'Mean', 'Median', 'p95', 'Busy', 'Gaps', 'In gaps']) {
      await expect.poll(() => factLocator(selection, name).textContent()).toMatch(/\d/);
    }
    await open.screenshot('timeline-selection');
    // Exports the selected time range as a trace file.
    await blocks().first().click();
    const [download] = await Promise.all([
      open.page.waitForEvent('download'),
      open.page.getByRole('menu').locator('.menu__item', { hasText: 'Export the selected time' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Water-70-MeV-trace.json');
    const trace = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(trace.traceEvents.some(({ ph, cat }: { ph: string; cat: string }) => ph === 'X' && cat === 'kernel')).toBe(
      true,
    );
  });

  it('moves the maps with the pointer, and the time cursor with the maps', async () => {
    await bench.panel('Phase space').click();
    const step = (): Promise<string | null> => open.page.locator('.scrubber').textContent();
    await expect.poll(step).toMatch(/98|147/);
    const box = (await canvas().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const search = open.page.getByLabel('Search spans by name');
    await search.fill('steps on the device');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('5');
    await search.press('Enter');
    await factLocator(details(), 'Step').waitFor();
    await expect.poll(() => factLocator(details(), 'Step').textContent()).toBe('0');
    await canvas().focus();
    await open.page.keyboard.press('f');
    // The step fills the plot, so that the moving pointer crosses it; the lane of steps is the third of five.
    let to = box.x + 187 + (box.width - 187) / 2;
    await expect
      .poll(async () => {
        to += 1;
        await open.page.mouse.move(to, box.y + box.height * 0.3);
        return step();
      })
      .toMatch(/^step 0depth/);
  });

  it('is shown next to another timeline, aligned at a step', async () => {
    await blocks().first().click();
    await open.page.getByRole('menu').locator('.menu__item', { hasText: 'Keep when another run' }).click();
    await openRecorded(path.join(runs, 'h200-water-70MeV-cuda-depth.h5'));
    await expect.poll(() => blocks().count()).toBe(2);
    const align = open.page.getByLabel('Aligned at');
    await expect.poll(() => align.locator('option').count()).toBeGreaterThan(5);
    await align.selectOption('0');
    await expect.poll(colouredPixels).toBeGreaterThan(2000);
    await open.screenshot('timeline-two-aligned');
    // Differences of the second timeline in the same time span; the selection stays when the alignment changes.
    await open.page.getByRole('radio', { name: 'Selection' }).check();
    await open.page.getByRole('button', { name: 'Select all' }).click();
    const difference = open.page.getByTestId('timeline-difference');
    await expect.poll(() => difference.getByRole('listitem').count()).toBeGreaterThan(4);
    const first = await difference.getByRole('listitem').nth(0).textContent();
    await align.selectOption({ index: 0 });
    await expect.poll(() => open.page.getByTestId('selection-details').count()).toBe(1);
    await expect.poll(() => difference.getByRole('listitem').nth(0).textContent()).toBe(first);
    await checkVisibility(open, 'timeline-difference');
  });

  it('saves notes, and can show only the slow steps', async () => {
    await open.page.getByRole('radio', { name: 'Notes' }).check();
    const notes = open.page.getByTestId('timeline-notes');
    await open.page.getByLabel('Note', { exact: true }).fill('the graph is built here');
    await open.page.getByRole('button', { name: 'Note the visible range' }).click();
    await expect.poll(() => notes.getByRole('listitem').count()).toBe(1);
    await open.screenshot('timeline-notes');
    await open.page.getByRole('radio', { name: 'Summary' }).check();
    await closeAllTimelines();
    await openRecorded();
    await open.page.getByRole('radio', { name: 'Notes' }).check();
    await expect.poll(() => notes.getByText('the graph is built here').count()).toBe(1);
    await notes.getByRole('listitem').getByRole('button').first().click();
    await open.page.getByRole('radio', { name: 'Selection' }).check();
    await expect
      .poll(() => factLocator(open.page.getByTestId('selection-details'), 'Spans').textContent())
      .toBe('567 on the GPU');
    await open.page.getByRole('radio', { name: 'Notes' }).check();
    await notes.getByRole('button', { name: /^Remove the note/ }).click();
    await expect.poll(() => notes.getByRole('listitem').count()).toBe(0);
    await open.page.getByRole('radio', { name: 'Steps' }).check();
    const steps = open.page.getByTestId('timeline-steps');
    await open.page.getByRole('checkbox', { name: /slower than the p99/ }).check();
    await expect.poll(() => steps.getByRole('listitem').count()).toBe(1);
    await steps.getByRole('listitem').getByRole('button').click();
    await checkVisibility(open, 'timeline-steps');
  });

  it('summarises where the run spent its time', async () => {
    const summary = open.page.getByTestId('timeline-summaries');
    await expect.poll(() => factLocator(summary, 'Kernels').textContent()).toBe('510, 6 different');
    await expect.poll(() => factLocator(summary, 'Replayed in graphs').textContent()).toBe('94.0 % of kernel time');
    await expect.poll(() => factLocator(summary, 'GPU idle').textContent()).toBe('58.9 % of device time');
    await expect.poll(() => summary.getByRole('row').nth(1).textContent()).toContain('transport_fused_stream_path_f32');
    await expect.poll(colouredPixels).toBeGreaterThan(2000);
    await open.screenshot('timeline-light');
    expect(await accessibilityViolations(open.page)).toEqual([]);
  });

  it('zooms and pans by wheel, drag and keyboard, down to nanoseconds', async () => {
    const box = (await canvas().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await open.page.mouse.move(box.x + box.width * 0.85, box.y + box.height * 0.8);
    for (let i = 0; i < 40; i += 1) await open.page.mouse.wheel(0, -400);
    await open.page.mouse.move(box.x + box.width / 2, box.y - 60);
    await expect.poll(shownSpan).toMatch(/^10 ns visible/);
    await canvas().focus();
    await open.page.keyboard.press('s');
    await expect.poll(shownSpan).toMatch(/^13 ns visible/);
    await open.page.keyboard.press('Home');
    await expect.poll(shownSpan).toMatch(/^134 ms visible/);
    await open.page.keyboard.press('w');
    await expect.poll(shownSpan).toMatch(/^101 ms visible/);
    const before = await colouredPixels();
    await open.page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.8);
    await open.page.mouse.down();
    await open.page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.8, { steps: 4 });
    await open.page.mouse.up();
    await expect.poll(colouredPixels).not.toBe(before);
    await expect.poll(shownSpan).toMatch(/ms/);
  });
});

describe('a run on the CPU', () => {
  it('shows the time of each operator, and how evenly its threads were used', async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
    const small = {
      ...{ kind: 'transport', version: 2, name: 'Small beam', beam: { energy_MeV: 30 } },
      geometry: { width_mm: 12, depth_mm: 11 },
      grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.5 } },
      solver: { step_mm: 0.5, variant: 'gather', threads: 2 },
    };
    await bench.drop('small.json', JSON.stringify(small));
    await expect.poll(() => bench.title.textContent()).toContain('Small beam');
    await bench.runToEnd();
    const summary = open.page.getByTestId('timeline-summaries');
    const operators = summary.getByRole('table', { name: 'Operators by time' });
    await operators.getByRole('rowheader', { name: 'scatter angles', exact: true }).waitFor();
    const threads = summary.getByRole('table', {
      name: /^Host: 2 threads, .* % busy/,
    });
    await expect.poll(() => threads.getByRole('rowheader').allTextContents()).toEqual(['thread 0', 'thread 1']);
    await threads.scrollIntoViewIfNeeded();
    await open.screenshot('timeline-cpu');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});

describe('a trace from another program', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
  });

  it('opens when dropped as an Nsight Systems database', async () => {
    const file = path.join(home, 'report.sqlite');
    writeNsight(file);
    await bench.drop('report.sqlite', readFileSync(file), 'application/vnd.sqlite3');
    await expect.poll(() => blocks().allTextContents()).toEqual(['report.sqlite']);
    const summary = open.page.getByTestId('timeline-summaries');
    await expect.poll(() => factLocator(summary, 'Replayed in graphs').textContent()).toBe('40.0 % of kernel time');
  });

  it('explains from a compressed database why no kernel ran and what the host did, and jumps to a gap', async () => {
    const name = 'nsight-systems-2025.3-h200.sqlite.gz';
    await bench.drop(name, readFileSync(path.join(golden, 'traces', name)), 'application/gzip');
    await expect.poll(() => blocks().allTextContents()).toEqual([name]);
    const summary = open.page.getByTestId('timeline-summaries');
    await summary
      .getByText('No kernel ran for 158.5 ms, 99.9 % of the time from the first kernel to the last')
      .waitFor();
    await summary.getByText('the CPU does something else', { exact: true }).waitFor();
    const calls = summary.getByRole('table', { name: 'CUDA calls by time' });
    await expect.poll(() => calls.getByRole('row').nth(1).textContent()).toBe('cudaMalloc');
    await summary.getByRole('heading', { name: 'Longest gaps' }).scrollIntoViewIfNeeded();
    await open.screenshot('timeline-gaps');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    const gap = summary.getByRole('button', { name: /^the CPU does something else, then / }).first();
    await gap.focus();
    await open.page.keyboard.press('Enter');
    await details().waitFor();
    await expect.poll(() => factLocator(details(), 'Launched by').count()).toBeLessThanOrEqual(1);
    expect(open.problems).toEqual([]);
  });

  it('is rejected with its name and the position if it is truncated, and other timelines stay open', async () => {
    await bench.drop('broken.json', '{"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph"');
    const alert = open.page.getByText('broken.json could not be opened');
    await alert.waitFor();
    await open.page
      .getByText('broken.json cannot be opened as a timeline: it is truncated after 58 bytes and one event.')
      .waitFor();
    expect(await blocks().count()).toBe(0);
    await open.screenshot('timeline-broken-file');
  });
});

describe('the timeline panel', () => {
  const explained = async (): Promise<void> => {
    onTestFinished(closeAllTimelines);
    await openRecorded();
    const search = open.page.getByLabel('Search spans by name');
    await search.fill('collide');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('245');
    await search.press('Enter');
    await details().waitFor();
  };

  it('is readable and usable at every theme and size', async () => {
    await openProfile();
    await explained();
    await inEveryAppearance(open.page, async ({ name }) => {
      await expect.poll(colouredPixels).toBeGreaterThan(500);
      await open.screenshot(`timeline-${name}`);
      expect(await accessibilityViolations(open.page), name).toEqual([]);
    });
    expect(open.problems).toEqual([]);
  });

  it('is readable and usable at 200 % zoom with the same number of pixels', async () => {
    await openProfile({ width: 720, height: 900, scale: 2 });
    await explained();
    await expect.poll(colouredPixels).toBeGreaterThan(1000);
    await open.screenshot('timeline-zoomed');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    expect(open.problems).toEqual([]);
  });
});

describe('a page without a run', () => {
  it('offers the shipped recordings, including GPU recordings on a machine without a GPU', async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
    await open.screenshot('timeline-nothing-yet');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.page.getByRole('button', { name: 'Water, 70 MeV · cuda-window · NVIDIA H200' }).click();
    await expect.poll(() => blocks().count()).toBe(1);
    await expect.poll(() => bench.r80.textContent()).toContain('40.77');
    await expect.poll(() => open.page.getByTestId('csda-range').textContent()).toContain('40.80');
    await open.page.getByRole('button', { name: 'Add a timeline' }).click();
    await open.page.getByRole('menuitem', { name: /cuda-depth, NVIDIA H200/ }).click();
    await expect.poll(() => blocks().count()).toBe(2);
    expect(open.problems).toEqual([]);
  });
});
