/** The launch explorer down to its last figure, in every look. */
import { expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import { fact, useExplorer } from './launch-page.ts';
import { inEveryLook } from './looks.ts';

const openExplorer = useExplorer();

it('stands without faults in every look', async () => {
  const { open } = await openExplorer();
  const { page } = open;
  await page.getByLabel('Kernel', { exact: true }).selectOption('transport/sum_f64');
  await expect.poll(() => fact(open, 'Registers')).toMatch(/120/);
  await page.getByRole('radio', { name: 'Grid-stride' }).check();
  await page.getByRole('slider', { name: 'Turn of the loop' }).press('ArrowRight');
  await page.getByRole('slider', { name: 'Step of the sum' }).press('ArrowRight');
  await inEveryLook(page, async ({ name }) => {
    await page.getByLabel('Kernel', { exact: true }).scrollIntoViewIfNeeded();
    await open.screenshot(`launch-${name}`);
    expect(await accessibilityFaults(page), name).toEqual([]);
    await page.getByTestId('launch-map').scrollIntoViewIfNeeded();
    await open.screenshot(`launch-map-${name}`);
    await page.getByTestId('launch-reduction').scrollIntoViewIfNeeded();
    await open.screenshot(`launch-reduction-${name}`);
    await page.getByTestId('launch-values').scrollIntoViewIfNeeded();
    await open.screenshot(`launch-values-${name}`);
  });
  expect(open.problems).toEqual([]);
});
