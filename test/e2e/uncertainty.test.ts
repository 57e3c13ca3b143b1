/** The uncertainty band of a depth dose: from the panel's menu to the plot and its table. */
import { describe, expect, it } from 'vitest';
import { appearances, fullyVisible } from './appearance-page.ts';
import { quickBeam } from './fields-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('uncertainty');

describe('the depth dose of a run', () => {
  it('has an uncertainty band, and a table with the share of each input', async () => {
    const { open, page, bench } = await workbench();
    await bench.drop('beam.json', quickBeam('Beam'));
    await expect.poll(() => bench.title.textContent()).toContain('Beam');
    await bench.runToEnd();
    await page.getByRole('button', { name: 'Uncertainty of the depth dose' }).click();
    const shown = page.getByTestId('uncertainty');
    await page.getByRole('button', { name: 'Compute the band' }).click();
    // At 60 MeV the range in water is 30.9 mm, with an uncertainty of 0.35 mm.
    await expect.poll(() => shown.textContent()).toMatch(/R80 30\.\d\d ± 0\.3\d mm/);
    await expect.poll(() => shown.getByRole('row', { name: /^Density, water 1(\.0)? % −0\.3\d\d/ }).count()).toBe(1);
    await fullyVisible(open, 'uncertainty', [appearances[0], ...appearances.slice(1, 2)]);
    await page.getByRole('button', { name: 'Remove the band' }).click();
    await expect.poll(() => shown.textContent()).toBe('');
  }, 180_000);
});
