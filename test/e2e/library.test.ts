/**
 * The library in a real browser: saved, searched, tagged, compared, put into the trash and restored. Also the handbook:
 * by F1 from a panel, by menu and palette, with links and search, in both themes. Also the licences: each shipped
 * package is listed with its version and licence text.
 */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { NOTICES } from '../../electron/build/steps/notices.mjs';
import { accessibilityViolations } from './accessible.ts';
import { checkVisibility, inEveryAppearance } from './appearance-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

describe('the handbook panel', () => {
  const scenario = path.resolve(import.meta.dirname, '../../assets/scenarios/water-70MeV.json');
  const { workbench } = useWorkbench('handbook', ['--scenario', scenario, '--run']);

  it('opens at the page of the focused panel, follows links between pages, and can be searched', {
    tags: 'slow',
  }, async () => {
    const { open, page, bench } = await workbench();
    await bench.r80.waitFor();
    // The README contains these screenshots.
    await inEveryAppearance(page, async (look) => open.screenshot(`readme-${look.name}`));

    // Presses F1 with the ledger in focus.
    const ledger = bench.panel('Ledger');
    await ledger.focus();
    await page.keyboard.press('F1');
    const book = page.getByRole('region', { name: 'Handbook: Reading results' });
    await book.getByRole('heading', { level: 1, name: 'Reading results' }).waitFor();
    const atTop = (name: string) =>
      expect
        .poll(async () => {
          const [heading, body] = await Promise.all([
            book.getByRole('heading', { name, exact: true }).boundingBox(),
            book.boundingBox(),
          ]);
          return heading !== null && body !== null && heading.y >= body.y - 1 && heading.y < body.y + body.height;
        })
        .toBe(true);
    await atTop('The ledger');
    // F1 also works in a field of the form.
    await page.getByLabel('Energy', { exact: true }).first().click();
    await page.keyboard.press('F1');
    const scenarios = page.getByRole('region', { name: 'Handbook: Scenarios' });
    await scenarios.getByRole('heading', { level: 1, name: 'Scenarios' }).waitFor();

    // Goes back, and follows a link.
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await book.getByRole('link', { name: 'Comparing', exact: true }).click();
    const comparing = page.getByRole('region', { name: 'Handbook: Comparing' });
    await comparing.getByRole('link', { name: 'Published claims' }).first().click();
    await page
      .getByRole('region', { name: 'Handbook: Published claims' })
      .getByRole('row', { name: /Uncoalesced access wastes 32×/ })
      .first()
      .waitFor();
    await checkVisibility(open, 'handbook-table');

    // Opens a page by the palette, and by a search.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('physics and limits');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Handbook: Physics and limits' }).waitFor();
    await checkVisibility(open, 'handbook-page');
    const field = page.getByRole('textbox', { name: 'Search the handbook' });
    await field.fill('noise floor');
    await expect
      .poll(() => page.getByRole('status').allTextContents())
      .toContainEqual(expect.stringMatching(/parts? with/));
    await checkVisibility(open, 'handbook-search');
    await page.getByRole('button', { name: /^Comparing › Which variant is faster\?/ }).click();
    await comparing.getByRole('heading', { name: 'Which variant is faster?' }).waitFor();
    await field.fill('zzz nothing');
    await expect.poll(() => page.getByRole('status').allTextContents()).toContainEqual('No parts with “zzz nothing”');
    expect(open.problems).toEqual([]);
  });
});

const { home, workbench } = useWorkbench('library');
const folder = path.join(home, 'library');

const quickScenario = (name: string, energy_MeV: number): string =>
  JSON.stringify({ kind: 'transport', version: 2, name, beam: { energy_MeV }, solver: { stepping: 'depth' } });

async function saveAs(open: OpenPage, name: string): Promise<void> {
  await open.page.keyboard.press('Control+Shift+s');
  await open.page.getByRole('dialog').getByLabel('File name').fill(name);
  await open.page.keyboard.press('Enter');
  await expect.poll(() => open.page.getByText(`Saved ${name}.json`).count()).toBe(1);
}

const entries = (open: OpenPage): Locator => open.page.locator('.library-entry');
const names = (open: OpenPage) => async () =>
  (await open.page.locator('.library-entry__name').allTextContents()).join(', ');

async function chooseMenuItem(open: OpenPage, entry: string, item: string): Promise<void> {
  await open.page.getByRole('button', { name: `More for ${entry}` }).click();
  await open.page.getByRole('menuitem', { name: item }).click();
}

describe('the library', () => {
  it('stores saved files, finds and tags them, and restores them from the trash', async () => {
    const { open, page, bench } = await workbench();
    await bench.drop('a.json', quickScenario('Alpha beam', 70));
    await expect.poll(() => bench.title.textContent()).toContain('Alpha beam');
    await saveAs(open, 'alpha');
    await bench.run.click();
    await bench.state('Done').waitFor();
    await bench.menu('File', 'Save run as');
    await page.getByRole('dialog').getByLabel('File name').fill('alpha run');
    await page.keyboard.press('Enter');
    await bench.panel('Library').click();
    // Add a file from another program, and an unreadable one.
    writeFileSync(path.join(folder, 'beta.json'), quickScenario('Beta beam', 55));
    writeFileSync(path.join(folder, 'broken.h5'), 'not a run');
    await expect.poll(names(open)).toMatch(/^(?=.*Alpha beam.*Alpha beam)(?=.*Beta beam)(?=.*broken\.h5)/);
    await expect
      .poll(() => page.locator('.library-entry__problem').textContent())
      .toMatch(/broken\.h5 cannot be opened as a run: it is not an HDF5 file/);
    await expect
      .poll(() =>
        entries(open)
          .filter({ hasText: /R80\s40\./ })
          .count(),
      )
      .toBe(1);

    await chooseMenuItem(open, 'beta.json', 'Tags and notes');
    const dialog = page.getByRole('dialog', { name: 'Tags and notes of beta.json' });
    await dialog.getByLabel('Tags, separated by commas').fill('talk, checked');
    await dialog.getByLabel('Remark').fill('For the group meeting');
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'talk', exact: true }).click();
    await expect.poll(names(open)).toBe('Beta beam');
    await open.screenshot('library-tagged');
    await page.getByRole('button', { name: /^Show files without the tag/ }).click();
    await page.getByRole('searchbox').fill('group 55');
    await expect.poll(names(open)).toBe('Beta beam');
    await page.getByRole('searchbox').fill('');
    await expect.poll(() => entries(open).count()).toBe(4);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot('library');

    await chooseMenuItem(open, 'beta.json', 'Move to the trash');
    await expect.poll(names(open)).not.toContain('Beta');
    expect(readdirSync(path.join(folder, '.trash'))).toHaveLength(1);
    await page.getByRole('radio', { name: 'Trash' }).check();
    await expect.poll(names(open)).toBe('beta.json');
    await chooseMenuItem(open, 'beta.json', 'Put back');
    await expect.poll(() => entries(open).count()).toBe(0);
    await page.getByRole('radio', { name: 'Yours' }).check();
    await entries(open).filter({ hasText: 'Beta beam' }).locator('.library-entry__main').click();
    await expect.poll(() => bench.title.textContent()).toBe('beta.json');
    expect(open.problems).toEqual([]);
  });

  it('creates a kernel from a template (for the CPU if there is no GPU) and opens its editor', {
    tags: 'slow',
  }, async () => {
    const { open, page, bench } = await workbench();
    await bench.run.waitFor();
    await bench.panel('Library').click();
    await page.getByRole('radio', { name: 'Examples' }).check();
    const entry = page.getByRole('button', { name: /^Stencil On a CPU or a GPU/ });
    await entry.scrollIntoViewIfNeeded();
    await open.screenshot('examples-own-kernels');
    await entry.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New kernel' });
    expect(await dialog.getByLabel('Begins as').inputValue()).toBe('stencil');
    expect(await dialog.getByLabel('Runs on').inputValue()).toBe('.cpp');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect.poll(() => bench.panel('Kernel editor').getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => page.locator('.cm-content').textContent()).toContain('results[i]');
    await expect.poll(() => bench.title.textContent()).toContain('my-stencil');
    await open.screenshot('examples-own-kernel-opened');
    expect(open.problems).toEqual([]);
  });

  it('reports the differences between the form and a file, with units', { tags: 'slow' }, async () => {
    writeFileSync(path.join(folder, 'gamma.json'), quickScenario('Gamma beam', 60));
    const { open, page, bench } = await workbench({ theme: 'dark' });
    await bench.panel('Library').click();
    await entries(open).filter({ hasText: 'Gamma beam' }).locator('.library-entry__main').click();
    await expect.poll(() => bench.title.textContent()).toBe('gamma.json');
    await bench.panel('Scenario').click();
    await bench.field('Energy').fill('61');
    await bench.field('Beam width').fill('2');
    await bench.menu('File', 'Compare with the saved file');
    const dialog = page.getByRole('dialog', { name: 'Differences' });
    await expect.poll(() => dialog.getByRole('status').textContent()).toBe('2 fields differ.');
    await expect
      .poll(() => dialog.locator('tbody tr').allTextContents())
      .toEqual(['Energybeam.energy_MeV60 MeV61 MeV', 'Beam widthbeam.x_sigma_mmdefault (0 mm)2 mm']);
    expect(await accessibilityViolations(open.page)).toEqual([]);
    await open.screenshot('differences');
    await page.keyboard.press('Escape');

    await bench.panel('Library').click();
    await chooseMenuItem(open, 'alpha run.h5', 'Compare with the form');
    await expect.poll(() => dialog.locator('tbody tr').first().textContent()).toContain('Alpha beamGamma beam');
    expect(open.problems).toEqual([]);
  });
});

describe('third-party notices', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  interface LockedPackage {
    readonly version: string;
    readonly dev?: boolean;
  }
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };

  /** Maps `name version` to the text of that section of a folder's licence file. */
  function sectionsOf(folder: string): ReadonlyMap<string, string> {
    const text = readFileSync(path.join(root, 'dist', folder, NOTICES), 'utf8');
    const parts = text.split(/^-{100}\n(.+?) \([^\n]*\)\n-{100}\n/m);
    return new Map(parts.flatMap((part, i) => (i % 2 === 1 ? [[part, parts[i + 1] ?? '']] : [])));
  }
  const FOLDERS = ['renderer', 'electron', 'workers', 'host', 'decoders'];
  const all = new Map(FOLDERS.map((folder) => [folder, sectionsOf(folder)]));

  describe.each(FOLDERS)('notices in dist/%s', (folder) => {
    const sections = all.get(folder) ?? new Map<string, string>();

    it('list packages in the versions of the lock file', () => {
      const locked = new Set(
        Object.entries(lock.packages).map(([at, { version }]) => `${at.split('node_modules/').at(-1)} ${version}`),
      );
      expect(sections.size).toBeGreaterThan(0);
      expect([...sections.keys()].filter((name) => !locked.has(name))).toEqual([]);
    });

    it('contain the licence text of each package', () => {
      const licence =
        /permission is hereby granted|permission to use, copy|redistribution and use|apache license|open font license|license statement|permission is granted to anyone|public domain|unlicensed|blue oak model license/i;
      expect([...sections].filter(([, text]) => !licence.test(text)).map(([name]) => name)).toEqual([]);
    });
  });

  it('cover every package named in a source map', () => {
    const missing: string[] = [];
    for (const folder of ['electron', 'workers', 'host']) {
      const names = new Set([...(all.get(folder)?.keys() ?? [])].map((name) => name.slice(0, name.lastIndexOf(' '))));
      for (const map of globSync(`dist/${folder}/*.map`, { cwd: root })) {
        const { sources } = JSON.parse(readFileSync(path.join(root, map), 'utf8')) as { readonly sources: string[] };
        for (const source of sources) {
          const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
          if (name !== undefined && !names.has(name)) missing.push(`${map}: ${name}`);
        }
      }
    }
    expect(missing).toEqual([]);
  });

  /** Dependencies that build the program and are not shipped. */
  const BUILD_TOOLS = new Set(['@vitejs/plugin-react', 'cmake-js', 'esbuild', 'vite']);

  it('cover every dependency of the program', () => {
    const names = new Set([...all.values()].flatMap((sections) => [...sections.keys()]));
    const missing = Object.entries(dependencies).filter(
      ([name, version]) => !BUILD_TOOLS.has(name) && !names.has(`${name} ${version}`),
    );
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('cover HDF5, the font and the headers of the addon', () => {
    expect(all.get('workers')?.get(`h5wasm ${dependencies['h5wasm']}`)).toContain('HDF5 (Hierarchical Data Format 5)');
    expect(
      all.get('renderer')?.get(`@fontsource-variable/inter ${dependencies['@fontsource-variable/inter']}`),
    ).toMatch(/open font license/i);
    expect([...(all.get('workers')?.keys() ?? [])].filter((name) => name.startsWith('node-addon-api '))).toHaveLength(
      1,
    );
  });

  it('are in the packaged folders', () => {
    const packed = readFileSync(path.join(root, 'electron-builder.yml'), 'utf8');
    for (const folder of ['renderer', 'electron', 'workers']) {
      expect(packed).toContain(`  - dist/${folder}/**`);
      expect(existsSync(path.join(root, 'dist', folder, NOTICES))).toBe(true);
    }
  });
});
