/** The README's first steps, as a newcomer takes them. */
import { expect, it } from 'vitest';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('newcomer');

it('shows a Bragg peak at another energy, and fits a box that the beam leaves', async () => {
  const { open, page, bench } = await workbench();
  const r80 = async (): Promise<number> => Number.parseFloat((await bench.r80.textContent()) ?? '');
  const runAt = async (): Promise<void> => {
    await expect.poll(() => bench.run.isEnabled()).toBe(true);
    await bench.run.click();
  };
  await bench.field('Energy').fill('120');
  await runAt();
  // NIST PSTAR: 106.6 mm in water at 120 MeV.
  await expect.poll(r80).toBeCloseTo(106.6, 0);
  // A box of 50 mm, as a user's scenario may have it.
  await bench.field('Depth').fill('50');
  await runAt();
  await page.getByText('No range: most protons leave the box before stopping.').waitFor();
  await page.getByRole('button', { name: 'Fit the box to the range and run' }).click();
  await expect.poll(r80).toBeCloseTo(106.6, 0);
  expect(await bench.field('Depth').inputValue()).toBe('');
  await open.close();
});
