/** A beam from a measured depth dose, in the form: the fit with its residuals, applied, and saved in the library. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('commissioning');

const topas = path.join(import.meta.dirname, '../../assets/reference/topas-water-depth-dose.csv');
/** The Monte Carlo's beam of 54.85 MeV as a chamber would give it: cm, and a unit of its own. */
const rows = readFileSync(topas, 'utf8')
  .split('\n')
  .filter((row) => row.startsWith('54.85'))
  .map((row) => row.split(',').map(Number))
  .map(([, depth_mm = 0, dose = 0]) => `${depth_mm / 10},${7 * dose}`);
const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

it('is found from a CSV, shown with its residuals, used in the form and kept in the library', async () => {
  const { open, page, bench } = await workbench();
  const beam = { energy_MeV: 60, x_sigma_mm: 2 };
  const physics = { stopping_power: 'icru90' };
  await bench.drop('chamber.json', JSON.stringify({ kind: 'transport', version: 2, name: 'Chamber', beam, physics }));
  await expect.poll(() => bench.title.textContent()).toContain('Chamber');
  const commissioning = page.getByTestId('commissioning');
  await commissioning.getByText('From a measured depth dose').click();
  const told = commissioning.getByRole('status');
  const choose = page.getByTestId('commissioning-file');

  await choose.setInputFiles(file('unit.csv', rows.join('\n')));
  await expect.poll(() => told.textContent()).toMatch(/unit\.csv:1.*nothing says the unit of depth/);
  await choose.setInputFiles(file('gantry.csv', ['depth_cm,reading', ...rows].join('\n')));
  await expect.poll(() => told.textContent(), { timeout: 150_000 }).toMatch(/Energy 54\.[789]\d\d ± 0\.\d{3} MeV/);
  await expect.poll(() => commissioning.getByRole('img', { name: 'Measured and fitted depth dose' }).count()).toBe(1);
  await seenWhole(open, 'commissioning');

  await commissioning.getByRole('button', { name: 'Keep in the library' }).click();
  await expect.poll(() => page.getByText('Beam of gantry.json is in the library').count()).toBe(1);
  await commissioning.getByRole('button', { name: 'Use this beam' }).click();
  const energy = page.locator('[data-path="beam.energy_MeV"] input');
  await expect.poll(() => energy.inputValue()).toMatch(/^54\.[789]\d*$/);
  await page.keyboard.press('Control+z');
  await expect.poll(() => energy.inputValue()).toBe('60');
}, 240_000);
