import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import {
  bench,
  blocks,
  canvas,
  closeAll,
  details,
  fact,
  litPixels,
  open,
  openProfile,
  openRecorded,
  shown,
  useTimeline,
} from './timeline-page.ts';

useTimeline();

describe('the timeline of a recorded run', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAll);
    await openRecorded();
  });

  it('says at a glance what the run spent its time on', async () => {
    const summary = open.page.getByTestId('timeline-summaries');
    await expect.poll(() => fact(summary, 'Kernels').textContent()).toBe('510, 6 different');
    await expect.poll(() => fact(summary, 'Replayed in graphs').textContent()).toBe('94.0 % of kernel time');
    await expect.poll(() => fact(summary, 'GPU idle').textContent()).toBe('58.9 % of device time');
    await expect.poll(() => summary.getByRole('row').nth(1).textContent()).toContain('transport_fused_stream_path_f32');
    await expect.poll(litPixels).toBeGreaterThan(2000);
    await open.screenshot('timeline-light');
    expect(await accessibilityFaults(open.page)).toEqual([]);
  });

  it('finds spans, explains one, and follows its launch', async () => {
    const search = open.page.getByLabel('Search spans by name');
    await search.fill('collide');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('245');
    await search.press('Enter');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('1 of 245');
    await details().waitFor();
    await expect
      .poll(() => details().getByRole('heading', { level: 2 }).textContent())
      .toBe('transport_fused_collide_path_f32');
    await expect.poll(() => fact(details(), 'Grid').textContent()).toBe('264 × 1 × 1 blocks');
    await expect.poll(() => fact(details(), 'Registers').textContent()).toBe('128 per thread');
    await expect.poll(() => fact(details(), 'Dynamic shared memory').textContent()).toContain('bytes per block');
    await expect.poll(() => fact(details(), 'Count').textContent()).toBe('245');
    await expect.poll(() => fact(details(), 'Median').textContent()).toBe('11.30 µs');
    await open.screenshot('timeline-found');
    await details()
      .getByRole('button', { name: /^cuGraphLaunch/ })
      .click();
    await expect.poll(() => details().getByRole('heading', { level: 2 }).textContent()).toBe('cuGraphLaunch');
    await expect.poll(() => details().getByText('Launches').count()).toBe(1);
    await search.fill('no such span');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('none');
  });

  it('zooms and moves by wheel, drag and keys, down to nanoseconds', async () => {
    const box = (await canvas().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await open.page.mouse.move(box.x + box.width * 0.85, box.y + box.height * 0.8);
    for (let i = 0; i < 40; i += 1) await open.page.mouse.wheel(0, -400);
    await open.page.mouse.move(box.x + box.width / 2, box.y - 60);
    await expect.poll(shown).toMatch(/^10 ns shown/);
    await canvas().focus();
    await open.page.keyboard.press('s');
    await expect.poll(shown).toMatch(/^13 ns shown/);
    await open.page.keyboard.press('Home');
    await expect.poll(shown).toMatch(/^134 ms shown/);
    await open.page.keyboard.press('w');
    await expect.poll(shown).toMatch(/^101 ms shown/);
    const before = await litPixels();
    await open.page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.8);
    await open.page.mouse.down();
    await open.page.mouse.move(box.x + box.width * 0.8, box.y + box.height * 0.8, { steps: 4 });
    await open.page.mouse.up();
    await expect.poll(litPixels).not.toBe(before);
    await expect.poll(shown).toMatch(/ms/);
  });
});

describe('a page without a run', () => {
  it('offers those that came with the program, with their range though the GPU is not here', async () => {
    await openProfile();
    onTestFinished(closeAll);
    await open.screenshot('timeline-nothing-yet');
    expect(await accessibilityFaults(open.page)).toEqual([]);
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

describe('a file of another program', () => {
  beforeEach(async () => {
    await openProfile();
    onTestFinished(closeAll);
  });

  it('is dropped as a Chrome trace, searched and closed', async () => {
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
    await expect.poll(() => fact(summary, 'Kernels').textContent()).toBe('300, 2 different');
    await open.page.getByLabel('Search spans by name').fill('gemm');
    await expect.poll(() => open.page.getByTestId('search-count').textContent()).toBe('100');
    await expect.poll(litPixels).toBeGreaterThan(500);
    expect(open.problems).toEqual([]);
  });

  it('that is cut off is refused with its name, the place and nothing else lost', async () => {
    await bench.drop('broken.json', '{"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph"');
    const alert = open.page.getByText('broken.json was not opened');
    await alert.waitFor();
    await open.page
      .getByText('broken.json cannot be opened as a timeline: it is cut off after 58 bytes and one event.')
      .waitFor();
    expect(await blocks().count()).toBe(0);
    await open.screenshot('timeline-broken-file');
  });
});
