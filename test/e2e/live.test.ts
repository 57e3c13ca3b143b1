import { describe, expect, it } from 'vitest';
import { checkVisibility } from './appearance-page.ts';
import { drag, handleOf, liveSwitch, note, openWithLive, r80, unitOf, useLive } from './live-page.ts';

useLive();

describe('Live mode', () => {
  it('follows a dragged number, ends with the full answer, and can be undone in one step', async () => {
    const opened = await openWithLive();
    const { page, bench, open } = opened;
    const before = await r80(opened);
    const [x, y] = await handleOf(unitOf(opened, 'Energy'));
    const coarse = await bench.willAppear('[data-testid="live-note"][data-full="false"]');
    await drag(opened, [x, y], [x + 40, y]);
    await coarse();
    // After ten steps of 1 MeV, the readouts have followed before the button is released.
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('70');
    await expect.poll(() => r80(opened)).toBeGreaterThan(before + 8);
    await drag(opened, [x, y], [x + 40, y]);
    await open.screenshot('live-dragged');
    await page.mouse.up();
    // Waits for the answer to the last request: an earlier one may also have been complete.
    await bench.drawn();
    await page.locator('[data-testid="live-note"][data-full="true"][data-phase="answered"]').waitFor();
    await expect.poll(() => note(opened).textContent()).toContain('At rest');
    const full = await r80(opened);
    // The list of runs contains no Live answer, and Run gives the same range.
    await bench.runToEnd();
    expect(await r80(opened)).toBeCloseTo(full, 2);
    await expect.poll(() => liveSwitch(opened).getAttribute('aria-pressed')).toBe('false');
    await page.getByRole('banner').getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('60');
    expect(open.problems).toEqual([]);
  });

  it('shows the error for invalid input, keeps the last answer, and then continues', { tags: 'slow' }, async () => {
    const opened = await openWithLive();
    const { page, bench, open } = opened;
    const before = await r80(opened);
    await bench.field('Energy').fill('-6');
    await expect
      .poll(() => note(opened).textContent())
      .toMatch(/The last result is shown\. Not solved: beam\.energy_MeV: /);
    await expect.poll(() => page.locator('[data-path="beam.energy_MeV"] .field__faults p').count()).toBe(1);
    expect(await r80(opened)).toBeCloseTo(before, 2);
    await bench.field('Energy').fill('65');
    await expect.poll(() => r80(opened)).toBeGreaterThan(before + 3);
    await expect.poll(() => note(opened).textContent()).not.toContain('The last result is shown');
    await checkVisibility(open, 'live');
    await open.page.setViewportSize({ width: 1600, height: 900 });
    await open.screenshot('live-1600-light');
    await open.page.emulateMedia({ colorScheme: 'dark' });
    await bench.drawn();
    await open.screenshot('live-1600-dark');
    await open.page.setViewportSize({ width: 900, height: 700 });
    await bench.drawn();
    await open.screenshot('live-900-dark');
    // After Live is switched off, the page shows the earlier result again.
    await liveSwitch(opened).click();
    await expect.poll(() => bench.r80.count()).toBe(0);
    expect(open.problems).toEqual([]);
  });
});
