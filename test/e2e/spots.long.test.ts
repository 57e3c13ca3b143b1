/** A beam by its range, as spots, and as a spread-out peak that the form builds. */
import { describe, expect, it } from 'vitest';
import { seenWhole } from './looks.ts';
import { quickBeam } from './quick-beam.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('spots');
const quick = quickBeam('Field');

describe('the beam in the form', () => {
  it('is given by energy, by range, or by spots, which an SOBP fills', async () => {
    const { open, page, bench } = await workbench();
    await bench.drop('field.json', quick);
    await expect.poll(() => bench.title.textContent()).toContain('Field');
    const given = page.getByLabel('Given by');
    await given.selectOption('range');
    await page.getByLabel('Range in water').fill('30');
    await expect.poll(() => page.getByTestId('beam-energy').textContent()).toMatch(/^59\.\d\d MeV$/);

    await given.selectOption('spots');
    const builder = page.getByTestId('sobp-builder');
    await builder.getByLabel('Range (90 %)').fill('30');
    await builder.getByLabel('Modulation').fill('40');
    await builder.getByRole('button', { name: 'Build' }).click();
    await expect.poll(() => builder.getByRole('status').textContent()).toContain('40 mm reaches the surface');
    await builder.getByLabel('Modulation').fill('8');
    await builder.getByLabel('Width').fill('20');
    await builder.getByRole('button', { name: 'Build' }).click();
    await expect
      .poll(() => builder.getByRole('status').textContent())
      .toMatch(/R90 (30\.0|29\.9)\d mm, M95 (8\.0|7\.9)\d mm.*10 places/);
    await expect.poll(() => page.getByRole('img', { name: 'Weights of the spots' }).count()).toBe(1);
    await page.getByLabel('Weight of spot 1', { exact: true }).fill('0.2');
    await expect.poll(() => page.getByLabel('Weight of spot 1', { exact: true }).inputValue()).toBe('0.2');
    await seenWhole(open, 'spots');
    await bench.runToEnd();
    await page.getByLabel('Weight of spot 1', { exact: true }).fill('-1');
    await expect.poll(() => page.getByText('-1 is too small').count()).toBeGreaterThan(0);
  }, 180_000);
});
