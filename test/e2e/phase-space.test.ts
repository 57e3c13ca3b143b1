/** Phase space in a real browser: live, by stored steps, with one crosshair for all maps. */
import { describe, expect, it } from 'vitest';
import {
  bench,
  closeBench,
  middlePicture,
  open,
  openBench,
  phaseMap,
  picture,
  runToEnd,
  step,
  usePhaseSpace,
  value,
} from './phase-space-page.ts';

usePhaseSpace();

describe('the phase space of a run', () => {
  it('steps through the stored steps by slider, keyboard and playback', async () => {
    await openBench();
    await open.page.keyboard.press('Alt+2');
    await open.page.getByText('No phase space yet').waitFor();
    await runToEnd();
    await expect.poll(step).toMatch(/^step \d+depth \d+\.\d\d mm\d+ \/ \d+$/);
    // Shows the middle of the run, not the last live frame.
    const [before, middle] = [await middlePicture('z – x'), await step()];
    await open.screenshot('phase-space-light');
    const slider = open.page.getByRole('slider', { name: 'Stored step' });
    await slider.focus();
    await open.page.keyboard.press('Home');
    await expect.poll(step).toMatch(/^step 0depth [\d.]+ mm1 \//);
    await expect.poll(() => picture('z – x')).not.toBe(before);
    await open.page.keyboard.press('ArrowRight');
    await expect.poll(step).toMatch(/2 \/ \d+$/);
    await open.page.keyboard.press('Alt+,');
    await expect.poll(step).toMatch(/^step 0/);
    // Playback continues to the end and stops.
    const playing = await bench.willAppear('button[aria-label="Pause"]');
    await open.page.getByRole('button', { name: 'Play the stored steps' }).click();
    await playing();
    await expect.poll(step).toMatch(/(\d+) \/ \1$/);
    await open.page.getByRole('button', { name: 'Play the stored steps' }).waitFor();
    expect(await step()).not.toBe(middle);
    closeBench();
  });

  it('shares one crosshair between its four maps and the dose map, with the values at that point', {
    tags: 'slow',
  }, async () => {
    await openBench({ theme: 'dark' });
    await runToEnd();
    await open.page.keyboard.press('Alt+2');
    await open.page.keyboard.press('Alt+m');
    await expect.poll(step).toMatch(/^step \d+/);
    const readout = open.page.getByTestId('phase-readout');
    // The panel was just enlarged: a single click must work at once.
    const place = async (title: string, x: number, y: number): Promise<void> => {
      const box = await phaseMap(title).boundingBox();
      if (box === null) throw new Error(`${title} has no place`);
      await open.page.mouse.click(box.x + box.width * x, box.y + box.height * y);
    };
    await place('z – x', 0.34, 0.45);
    await expect.poll(() => readout.textContent()).toMatch(/^z [\d.]+ mmx −?[\d.]+ mm$/);
    await place('θ – E', 0.47, 0.4);
    await expect.poll(() => readout.textContent()).toMatch(/^z [\d.]+ mmx .* mmθ .* mradE [\d.]+ MeV$/);
    // All four maps show the crosshair, each at two of the four coordinates.
    for (const key of ['z-x', 'theta-x', 'e-x', 'theta-e']) {
      await expect.poll(() => value(key)).toMatch(/protons per cell$/);
    }
    await open.page.mouse.move(5, 5);
    const pinned = await readout.textContent();
    const own = await picture('θ – x');
    await open.page.getByRole('button', { name: 'Match limits' }).click();
    await expect.poll(() => picture('θ – x')).not.toBe(own);
    await open.screenshot('phase-space-dark');
    await phaseMap('θ – E').focus();
    await open.page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => readout.textContent()).not.toBe(pinned);
    // The dose map is at the same z and x.
    await open.page.keyboard.press('Alt+1');
    const [z] = /z ([\d.]+)/.exec(pinned ?? '') ?? [];
    await expect.poll(() => bench.doseReadout.textContent()).toContain(z ?? 'a depth');
    closeBench();
  });

  it('shows a run while it computes, and the state at which it stopped', { tags: 'slow' }, async () => {
    await openBench();
    await bench.dropLongRun();
    await open.page.keyboard.press('Alt+2');
    await bench.run.click();
    await expect.poll(step).toMatch(/live$/);
    const first = await step();
    await expect.poll(step).not.toBe(first);
    await open.screenshot('phase-space-live');
    await open.page.keyboard.press('Control+.');
    await bench.state('Stopped').waitFor();
    await expect.poll(step).toMatch(/(\d+) \/ \1$/);
    closeBench();
  });
});
