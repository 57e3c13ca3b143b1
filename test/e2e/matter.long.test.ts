/**
 * Matter in the form: user materials, and a CT. Also beams in the form: from a measured depth dose with fit and
 * residuals, by range, as spots, and as a spread-out peak.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { topasBeam } from '../../renderer/data/topas.ts';
import { dicomOf, type Elements, ellipsePhantom, layeredPhantom, nrrdOf } from '../electron/host/io/volumes/phantom.ts';
import { checkVisibility } from './appearance-page.ts';
import { quickBeam } from './fields-page.ts';
import { useWorkbench } from './workbench-page.ts';

describe('commissioning a beam', () => {
  const { workbench } = useWorkbench('commissioning');

  /**
   * The Monte Carlo beam of 54.85 MeV, written like the readings of a chamber: depths in cm, and dose in an arbitrary
   * unit.
   */
  const { depth_mm, dose } = topasBeam(54.852);
  const rows = Array.from(depth_mm, (depth, i) => `${depth / 10},${7 * (dose[i] ?? 0)}`);
  const file = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

  it('fits a beam to a CSV file, shows the residuals, and puts the beam into the form and the library', async () => {
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
    await expect.poll(() => told.textContent()).toMatch(/unit\.csv:1.*the unit of depth is missing/);
    await choose.setInputFiles(file('gantry.csv', ['depth_cm,reading', ...rows].join('\n')));
    await expect.poll(() => told.textContent(), { timeout: 150_000 }).toMatch(/Energy 54\.[789]\d\d ± 0\.\d{3} MeV/);
    await expect.poll(() => commissioning.getByRole('img', { name: 'Measured and fitted depth dose' }).count()).toBe(1);
    await checkVisibility(open, 'commissioning');

    await commissioning.getByRole('button', { name: 'Save in the library' }).click();
    await expect.poll(() => page.getByText('Beam of gantry.json is in the library').count()).toBe(1);
    await commissioning.getByRole('button', { name: 'Use this beam' }).click();
    const energy = page.locator('[data-path="beam.energy_MeV"] input');
    await expect.poll(() => energy.inputValue()).toMatch(/^54\.[789]\d*$/);
    await page.keyboard.press('Control+z');
    await expect.poll(() => energy.inputValue()).toBe('60');
  }, 240_000);
});

describe('matter and beam in the form', () => {
  const { home, workbench } = useWorkbench('matter');
  const quick = quickBeam('Plastics');

  describe('matter in the form', () => {
    it('accepts a material by formula or mass fractions as background, and reports an invalid one at its field', async () => {
      const { open, page, bench } = await workbench();
      await bench.drop('plastics.json', quick);
      await expect.poll(() => bench.title.textContent()).toContain('Plastics');
      await page.getByRole('button', { name: 'Add a user material' }).click();
      await page.getByLabel('Name of material 1').fill('teflon');
      const made = page.getByLabel('Formula or mass fractions of material 1');
      await made.fill('C2F4x');
      await expect.poll(() => page.getByText('is not a chemical formula').count()).toBeGreaterThan(0);
      await made.fill('C 0.24, F 0.7');
      await expect.poll(() => page.getByText('has mass fractions that sum to 0.94').count()).toBeGreaterThan(0);
      await made.fill('C2F4');
      await page.getByLabel('Density', { exact: true }).fill('2.2');
      await page.getByLabel('Background', { exact: true }).selectOption('teflon');
      await expect.poll(() => page.getByText('is not a chemical formula').count()).toBe(0);
      await expect.poll(() => page.getByLabel('Background', { exact: true }).inputValue()).toBe('teflon');
      await checkVisibility(open, 'own-materials');
      await bench.runToEnd();
    }, 180_000);

    it('fills the box from a CT next to the saved scenario, maps its density, and reports a missing file', async () => {
      const { open, page, bench } = await workbench();
      await bench.drop('chest.json', quick.replace('Plastics', 'Chest'));
      await expect.poll(() => bench.title.textContent()).toContain('Chest');
      const file = page.getByLabel('File or folder of a CT');
      await file.fill('ct/chest.nrrd');
      await expect
        .poll(() => page.getByText('cannot be found before the scenario is saved').count())
        .toBeGreaterThan(0);
      await page.keyboard.press('Control+Shift+s');
      await page.getByRole('dialog').getByLabel('File name').fill('chest');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByText('Saved chest.json').count()).toBe(1);
      await expect.poll(() => page.getByText('it cannot be found').count()).toBeGreaterThan(0);
      const folder = path.join(home, 'library', 'ct');
      mkdirSync(folder, { recursive: true });
      const rows = [...Array<number>(20).fill(40), ...Array<number>(12).fill(-750), ...Array<number>(8).fill(700)];
      writeFileSync(
        path.join(folder, 'chest.nrrd'),
        nrrdOf(layeredPhantom([...rows, ...Array<number>(40).fill(40)], 60, 1)),
      );
      await page.getByLabel('Direction').fill('0');
      await expect.poll(() => page.getByText('it cannot be found').count()).toBe(0);
      await bench.runToEnd();
      await checkVisibility(open, 'ct');
    }, 180_000);
  });

  describe('a folder of DICOM files', () => {
    it('offers its series by name if there are several, and fills the box with the chosen one', async () => {
      const { open, page, bench } = await workbench();
      const folder = path.join(home, 'library', 'ct', 'plan');
      mkdirSync(folder, { recursive: true });
      const chest = { ...layeredPhantom([...Array<number>(60).fill(40)], 60, 1), slices: 3 };
      const of = (uid: string, about: string, more: Elements = {}): Elements => ({
        ...{ '0020000e': ['UI', uid], '0008103e': ['LO', about], ...more },
      });
      for (const k of [0, 1, 2]) {
        writeFileSync(path.join(folder, `a${k}.dcm`), dicomOf(chest, k, of('1.2.1', 'Thorax 3.0 B30f')));
        writeFileSync(path.join(folder, `b${k}.dcm`), dicomOf(chest, k, of('1.2.2', 'Thorax MonoE 70 keV')));
        const iodine: Elements = { '00080008': ['CS', 'DERIVED\\PRIMARY\\AXIAL\\MAT_SPECIFIC'] };
        writeFileSync(path.join(folder, `c${k}.dcm`), dicomOf(chest, k, of('1.2.3', 'Iodine', iodine)));
      }
      writeFileSync(path.join(folder, 'rs.dcm'), dicomOf(chest, 0, { '00080060': ['CS', 'RTSTRUCT'] }));
      await bench.drop('plan.json', quick.replace('Plastics', 'Plan'));
      await expect.poll(() => bench.title.textContent()).toContain('Plan');
      await page.getByLabel('File or folder of a CT').fill('ct/plan');
      await page.keyboard.press('Control+Shift+s');
      await page.getByRole('dialog').getByLabel('File name').fill('plan');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByText('Saved plan.json').count()).toBe(1);
      const list = page.getByLabel('CT series');
      await expect
        .poll(() => list.locator('option').allTextContents())
        .toEqual([
          'Choose one of 3 series',
          'Thorax 3.0 B30f, 3 slices, 60 × 60, 0.0 to 4.0 mm',
          'Thorax MonoE 70 keV, 3 slices, 60 × 60, 0.0 to 4.0 mm, see its warnings',
          '1.2.3, 3 slices, cannot be read',
        ]);
      await expect.poll(() => page.getByText('it contains 2 series').count()).toBeGreaterThan(0);
      await checkVisibility(open, 'ct-series-unchosen');
      await list.selectOption('1.2.2');
      await expect.poll(() => page.getByText('it contains 2 series').count()).toBe(0);
      await expect.poll(() => page.getByText('SeriesDescription is "Thorax MonoE 70 keV"').count()).toBeGreaterThan(0);
      await expect.poll(() => page.getByText('RTSTRUCT, not a slice of the CT').count()).toBeGreaterThan(0);
      await expect.poll(() => page.getByTestId('ct-picture').count()).toBe(1);
      await list.scrollIntoViewIfNeeded();
      await checkVisibility(open, 'ct-series');
      await bench.runToEnd();
    }, 180_000);
  });

  describe('dose over a CT', () => {
    const thorax = JSON.stringify({
      kind: 'transport',
      version: 2,
      name: 'Thorax',
      beam: { energy_MeV: 110, x_sigma_mm: 6 },
      geometry: {
        width_mm: 160,
        depth_mm: 200,
        ct: { file: 'ct/thorax.nrrd', angle_deg: 20, isocentre_mm: [40, -20] },
      },
      grid: { dx_mm: 2, dz_mm: 1, dtheta_mrad: 20 },
      solver: { stepping: 'depth' },
      output: { keyframes: 16 },
    });

    it('is shown in grey with isodose lines; values are read along any line, and the form shows the CT', async () => {
      const { open, page, bench } = await workbench();
      const folder = path.join(home, 'library', 'ct');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, 'thorax.nrrd'), nrrdOf(ellipsePhantom(128)));
      await bench.drop('thorax.json', thorax);
      // The CT's path is relative to the scenario file, which does not exist yet.
      await page.getByRole('button', { name: 'Open and correct' }).click();
      await expect.poll(() => bench.title.textContent()).toContain('Thorax');
      await page.keyboard.press('Control+Shift+s');
      await page.getByRole('dialog').getByLabel('File name').fill('thorax');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByText('Saved thorax.json').count()).toBe(1);
      const ct = page.getByTestId('ct-picture');
      await expect
        .poll(() => ct.getByRole('img').getAttribute('aria-label'))
        .toMatch(/^CT, transverse at −27\.0 mm, of 3/);
      const picture = () => ct.locator('canvas').evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
      const whole = await picture();
      await ct.getByRole('radio', { name: 'soft tissue' }).check();
      await expect.poll(picture).not.toBe(whole);
      await ct.scrollIntoViewIfNeeded();
      await checkVisibility(open, 'ct-picture');

      await bench.runToEnd();
      const map = () =>
        bench.map.evaluate((canvas) => (canvas.previousElementSibling as HTMLCanvasElement).toDataURL());
      const display = page.getByRole('button', { name: 'Display of the dose map' });
      await display.click();
      await page.getByLabel('Lines at fractions of the largest value').check();
      const greyed = await map();
      const matter = page.getByRole('radiogroup', { name: 'Matter in grey under the dose' });
      await matter.getByRole('radio', { name: 'never' }).check();
      await expect.poll(map).not.toBe(greyed);
      const plain = await map();
      await matter.getByRole('radio', { name: 'with a CT' }).check();
      await expect.poll(map).not.toBe(plain);
      await page
        .getByRole('radiogroup', { name: 'Density range of the grey scale' })
        .getByRole('radio', { name: 'lung' })
        .check();
      await expect.poll(map).not.toBe(greyed);
      await page
        .getByRole('radiogroup', { name: 'Density range of the grey scale' })
        .getByRole('radio', { name: 'all' })
        .check();
      await page.keyboard.press('Escape');
      await bench.map.click({ position: { x: 200, y: 150 } });
      await expect.poll(() => bench.doseReadout.textContent()).toMatch(/in [\d.]+ g\/cm³/);
      await page.getByRole('radio', { name: 'line', exact: true }).check();
      const box = await bench.map.boundingBox();
      if (box === null) throw new Error('the map has no place');
      await page.mouse.move(box.x + 80, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.45, { steps: 4 });
      await page.mouse.up();
      await page.getByRole('img', { name: /^Dose from z/ }).waitFor();
      await checkVisibility(open, 'ct-under-dose');
      expect(open.problems).toEqual([]);
    }, 240_000);
  });
});

describe('spots of a beam', () => {
  const { workbench } = useWorkbench('spots');
  const quick = quickBeam('Field');

  describe('the beam in the form', () => {
    it('is set by energy, by range, or by spots, which an SOBP generates', async () => {
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
        .toMatch(/R90 (30\.0|29\.9)\d mm, M95 (8\.0|7\.9)\d mm.*10 positions/);
      await expect.poll(() => page.getByRole('img', { name: 'Weights of the spots' }).count()).toBe(1);
      await builder.getByLabel('Energies (MeV)').fill('70 MeV');
      await builder.getByRole('button', { name: 'Build' }).click();
      await expect.poll(() => builder.getByRole('status').textContent()).toContain('MeV is not an energy; allowed');
      await builder.getByLabel('Energies (MeV)').fill('48 50 52 54 56 57 58 59 60 61 62');
      await builder.getByLabel('Weights').selectOption('smooth');
      await builder.getByRole('button', { name: 'Build' }).click();
      await expect.poll(() => builder.getByRole('status').textContent()).toMatch(/Requested R90 30 mm: the nearest/);
      await page.getByLabel('Weight of spot 1', { exact: true }).fill('0.2');
      await expect.poll(() => page.getByLabel('Weight of spot 1', { exact: true }).inputValue()).toBe('0.2');
      await checkVisibility(open, 'spots');
      await bench.runToEnd();
      await page.getByLabel('Weight of spot 1', { exact: true }).fill('-1');
      await expect.poll(() => page.getByText('-1 is too small').count()).toBeGreaterThan(0);
    }, 180_000);
  });
});
