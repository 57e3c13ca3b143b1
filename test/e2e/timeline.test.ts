import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  bench,
  blocks,
  closeAllTimelines,
  colouredPixels,
  details,
  factLocator,
  open,
  openProfile,
  openRecorded,
  useTimeline,
} from './timeline-page.ts';

useTimeline();

describe('the timeline of a recorded run', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
    await openRecorded();
  });

  it('finds spans, explains one of them, and jumps to its launch', async () => {
    const search = open.page.getByLabel('Search spans by name');
    await search.fill('collide');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('245');
    await search.press('Enter');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('1 of 245');
    await details().waitFor();
    await expect
      .poll(() => details().getByRole('heading', { level: 2 }).textContent())
      .toBe('transport_fused_collide_path_f32');
    await expect.poll(() => factLocator(details(), 'Grid').textContent()).toBe('264 × 1 × 1 blocks');
    await expect.poll(() => factLocator(details(), 'Registers').textContent()).toBe('128 per thread');
    await expect.poll(() => factLocator(details(), 'Dynamic shared memory').textContent()).toContain('bytes per block');
    await expect.poll(() => factLocator(details(), 'Count').textContent()).toBe('245');
    await expect.poll(() => factLocator(details(), 'Median').textContent()).toBe('11.30 µs');
    await open.screenshot('timeline-found');
    await details()
      .getByRole('button', { name: /^cuGraphLaunch/ })
      .click();
    await expect.poll(() => details().getByRole('heading', { level: 2 }).textContent()).toBe('cuGraphLaunch');
    await expect.poll(() => details().getByText('Launches').count()).toBe(1);
    await search.fill('no such span');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('none');
  });
});

describe('a trace from another program', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAllTimelines);
  });

  it('opens when dropped as a Chrome trace, and can be searched and closed', { tags: 'slow' }, async () => {
    const traceEvents = Array.from({ length: 300 }, (_, i) => [
      {
        ph: 'X',
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        pid: 1,
        tid: 1,
        ts: i * 20,
        dur: 4,
        args: { correlation: i + 1 },
      },
      {
        ph: 'X',
        cat: 'kernel',
        name: i % 3 === 0 ? 'gemm' : 'softmax',
        pid: 0,
        tid: 7,
        ts: i * 20 + 6,
        dur: 10,
        args: { correlation: i + 1, grid: [4, 1, 1], block: [128, 1, 1], 'registers per thread': 32 },
      },
    ]).flat();
    await bench.drop('pytorch.json', JSON.stringify({ traceEvents }));
    await expect.poll(() => blocks().allTextContents()).toEqual(['pytorch.json']);
    const summary = open.page.getByTestId('timeline-summaries');
    await expect.poll(() => factLocator(summary, 'Kernels').textContent()).toBe('300, 2 different');
    await open.page.getByLabel('Search spans by name').fill('gemm');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('100');
    await expect.poll(colouredPixels).toBeGreaterThan(500);
    expect(open.problems).toEqual([]);
  });
});
