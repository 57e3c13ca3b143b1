/** The figure of every plot is exported as a picture and as numbers. */
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { datasetAt, openFile } from '../../electron/host/io/hdf5/h5.ts';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('export');
const scenario = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Coarse',
  beam: { energy_MeV: 70, energy_sigma_MeV: 1, angle_sigma_mrad: 5, x_sigma_mm: 2 },
  grid: { dx_mm: 0.5, dz_mm: 0.5 },
  output: { keyframes: 16 },
});

let open: OpenPage;
let bench: BenchPage;

async function exportFile(what: string, format: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  await open.page.getByRole('button', { name: `Export ${what}` }).click();
  const [download] = await Promise.all([
    open.page.waitForEvent('download'),
    open.page.getByRole('menuitem', { name: new RegExp(`^${format}`) }).click(),
  ]);
  const bytes = readFileSync(await download.path());
  return { name: download.suggestedFilename(), bytes };
}

/** Width and height in pixels, from the PNG's header. */
const pngSize = (bytes: Buffer): readonly [number, number] => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];

const plots = [
  { what: 'the dose map', keys: 'Alt+1', name: 'Coarse-dose-map', words: ['Depth z (mm)', 'Across x (mm)', 'MeV/mm²'] },
  {
    what: 'the maps of phase space',
    keys: 'Alt+2',
    name: /^Coarse-phase-space-step-\d+$/,
    words: ['z – x', 'θ – E', 'Angle θ (mrad)', 'Energy E (MeV)', 'Protons'],
  },
  {
    what: 'the depth dose',
    keys: 'Alt+3',
    name: 'Coarse-depth-dose',
    words: ['R80', 'Depth along the beam axis (mm)'],
  },
  {
    what: 'the lateral profile',
    keys: 'Alt+4',
    name: /^Coarse-lateral-20\.\d\d mm$/,
    words: ['Across x (mm)', 'MeV/mm²'],
  },
  {
    what: 'the ledger by step',
    keys: 'Alt+6',
    name: 'Coarse-ledger',
    words: ['Share of the input', 'Relative error'],
  },
  { what: 'the balance', keys: null, name: 'Coarse-balance', words: ['Protons', 'Deposited', 'Relative error'] },
] as const;

describe('figure export', () => {
  it('writes every plot as PNG, SVG, CSV, NPZ and HDF5', async () => {
    ({ open, bench } = await workbench());
    await bench.drop('coarse.json', scenario);
    await expect.poll(() => bench.title.textContent()).toContain('Coarse');
    await bench.run.click();
    await bench.state('Done').waitFor();
    await bench.r80.waitFor();
    for (const { what, keys, name, words } of plots) {
      if (keys !== null) await open.page.keyboard.press(keys);
      const button = open.page.getByRole('button', { name: `Export ${what}` });
      await button.waitFor();
      // The entry appears once there is something to export.
      await expect
        .poll(async () => {
          await button.click();
          const shown = await open.page.getByRole('menuitem', { name: /^CSV/ }).getAttribute('aria-disabled');
          await open.page.keyboard.press('Escape');
          return shown;
        })
        .toBe('false');

      const png = await exportFile(what, 'PNG');
      expect(png.name.replace(/\.png$/, '')).toMatch(name);
      const [width, height] = pngSize(png.bytes);
      expect(Math.min(width, height)).toBeGreaterThan(300);

      const svg = (await exportFile(what, 'SVG')).bytes.toString('utf8');
      for (const word of words) expect(svg).toContain(word);
      // A browser can draw the SVG like any other viewer.
      const drawn = await open.page.evaluate(async (text) => {
        const image = new Image();
        image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      }, svg);
      expect(Math.min(...drawn)).toBeGreaterThan(150);

      const csv = (await exportFile(what, 'CSV')).bytes.toString('utf8');
      const [head = '', first = ''] = csv.split('\n');
      expect(head.split(',').length).toBe(first.split(',').length);
      expect(first.split(',').every((field) => field === '' || Number.isFinite(Number(field)))).toBe(true);

      const files = unzipSync((await exportFile(what, 'NPZ')).bytes);
      const arrays = Object.keys(files).filter((file) => file !== 'about.npy');
      expect(arrays.length).toBeGreaterThan(1);

      const h5 = await exportFile(what, 'HDF5');
      await openFile(h5.bytes, (file) => {
        expect(file.attrs['run']?.value).toBe('Coarse');
        // The HDF5 file must contain the same arrays as the NPZ file.
        for (const array of arrays) {
          const dataset = datasetAt(file, array.replace(/\.npy$/, ''));
          expect(dataset?.attrs['long_name']?.value).toBeTruthy();
        }
      });
    }
    expect(open.problems).toEqual([]);
  });

  it('the menu explains that there is nothing to export yet', async () => {
    ({ open, bench } = await workbench());
    await open.page.getByRole('button', { name: 'Export the dose map' }).click();
    const item = open.page.getByRole('menuitem', { name: /^PNG/ });
    await expect.poll(() => item.textContent()).toContain('nothing is plotted yet');
    await expect.poll(() => item.getAttribute('aria-disabled')).toBe('true');
  });
});
