/** A user kernel from its copy to the comparison, as a user makes it; on the CPU, with the installed C++ compiler. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import { useWorkbench } from './workbench-page.ts';

const { home, workbench } = useWorkbench('editor', [], (home) => ({
  BRAGGBENCH_CACHE: path.join(home, 'cache'),
  // What they compute is small, and compiling them is most of the time.
  CXXFLAGS: '-O0',
}));
const library = path.join(home, 'library');
const small = JSON.stringify({
  kind: 'transport',
  version: 1,
  name: 'Small beam',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 80, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.5 } },
  solver: { step_mm: 0.5 },
});

const smallImage = JSON.stringify({
  kind: 'diffraction',
  version: 1,
  name: 'Small image',
  beam: { wavelength_A: 6.2 },
  crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
  structure_factors: { default_electrons: 100 },
  detector: { width: 64, height: 48 },
});

const says = (page: Page): Locator => page.getByTestId('user-kernel-says');
const verdict = (page: Page): Locator => page.getByTestId('user-kernel-verdict');
const code = (page: Page): Locator => page.getByTestId('user-kernel-editor').locator('.cm-content');

it('copies a variant, sees an error at its line, is asked for trust, and stands in the comparison, green or red', async () => {
  const { open, page, bench } = await workbench({ width: 1440, height: 900, theme: 'light' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.drop('small.json', small);
  await expect.poll(() => bench.title.textContent()).toContain('Small beam');

  // A shipped variant is there to be read, and to be copied.
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();
  await page.getByLabel('Variant', { exact: true }).selectOption('gather');
  await expect.poll(() => code(page).textContent()).toContain('The operators of `scatter` turned round');
  await expect.poll(() => code(page).getAttribute('aria-readonly')).toBe('true');
  await open.screenshot('kernel-editor-shipped-light');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save copy' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('my-gather');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Not yet trusted');
  expect(JSON.parse(readFileSync(path.join(library, 'my-gather.json'), 'utf8'))).toMatchObject({
    base: 'gather',
    replaces: 'kernels/transport/cpu/gather.cpp',
  });

  // A mistake stands at its line, by the keyboard alone.
  await code(page).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('undefined_thing;');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.cm-line').first().textContent()).toBe('undefined_thing;');
  await page.keyboard.press('Control+b');
  // Nothing is compiled before the user has said that they trust it.
  const dialog = page.getByRole('dialog', { name: 'Do you trust my-gather.cpp?' });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => says(page).textContent()).toBe('Does not compile: 1 error');
  const issue = page.getByRole('region', { name: 'What the compiler says' }).getByRole('button');
  await expect.poll(() => issue.textContent()).toContain('my-gather.cpp:1:1');
  await page.locator('.cm-lint-marker-error').waitFor();
  await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('undefined_thing');
  await open.screenshot('kernel-editor-error-light');
  expect(await accessibilityFaults(page)).toEqual([]);

  // It is mended where the issue leads, and runs only after the user has said that they trust it.
  await issue.click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  await expect.poll(() => page.locator('.cm-line').first().textContent()).not.toBe('undefined_thing;');
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor();
  await expect.poll(() => dialog.textContent()).toContain('It is code, and it runs with your rights');
  await open.screenshot('kernel-editor-trust-light');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Do not run it' }).click();
  await expect.poll(() => says(page).textContent()).toContain('It was not compiled');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => verdict(page).getAttribute('data-right')).toBe('true');
  await expect.poll(() => verdict(page).textContent()).toContain('my-gather.cpp is right on this scenario');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('You trust it as it is.');
  await open.screenshot('kernel-editor-right-light');
  expect(await accessibilityFaults(page)).toEqual([]);

  // How it is compiled is told, changed, and asked about again.
  const options = page.locator('.compile-options');
  await expect.poll(() => options.locator('summary').textContent()).toBe('Compiled as ours');
  await options.locator('summary').click();
  await page.getByLabel('Macros').fill('LOUD=(3)');
  await expect.poll(() => options.textContent()).toContain('LOUD is "(3)"; allowed: letters, digits, _ . + -');
  await page.getByLabel('Macros').fill('LOUD=3');
  await page.keyboard.press('Tab');
  await expect.poll(() => options.locator('summary').textContent()).toBe('Compiled with LOUD=3');
  await page.getByLabel('Fused multiply-add').selectOption('a·b + c not fused');
  await expect.poll(() => options.locator('summary').textContent()).toContain('no fused multiply-add');
  expect(JSON.parse(readFileSync(path.join(library, 'my-gather.json'), 'utf8'))).toMatchObject({
    compile: { fmad: false, defines: { LOUD: 3 } },
  });
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Not yet trusted');
  await open.screenshot('kernel-editor-options-light');
  expect(await accessibilityFaults(page)).toEqual([]);

  // Changed by another program: asked for again, and wrong.
  const file = path.join(library, 'my-gather.cpp');
  const text = readFileSync(file, 'utf8');
  const louder = '    sum_ = {};\n    for (T& p : state_.psi) p *= T(1.001);\n    std::printf("told %d\\n", LOUD);\n';
  writeFileSync(file, `#include <cstdio>\n${text.replace('    sum_ = {};\n', louder)}`);
  await page.getByLabel('Variant', { exact: true }).selectOption('gather');
  await expect.poll(() => code(page).getAttribute('aria-readonly')).toBe('true');
  await page.getByLabel('Variant', { exact: true }).selectOption('my-gather.cpp');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Not yet trusted');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => verdict(page).getAttribute('data-right')).toBe('false');
  await expect.poll(() => verdict(page).textContent()).toContain('Ledgerwrong');
  const printed = page.getByRole('region', { name: 'What my-gather.cpp printed' });
  await expect.poll(() => printed.textContent()).toContain('told 3\ntold 3');
  await open.screenshot('kernel-editor-wrong-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await open.screenshot('kernel-editor-wrong-dark');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 900, height: 700 });
  await open.screenshot('kernel-editor-wrong-900');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });

  // Both stand among the variants of every comparison.
  await page.getByRole('button', { name: 'Show all panels' }).click();
  await bench.panel('Compare').click();
  const table = page.getByRole('group', { name: 'Compare', exact: true });
  await table
    .locator('.segmented__option', { hasText: /^Table$/ })
    .first()
    .click();
  const rows = page.getByTestId('compare-row').filter({ hasText: 'my-gather.cpp' });
  await expect.poll(() => rows.count()).toBe(2);
  await expect.poll(() => rows.last().textContent()).toMatch(/wrong/i);
});

it('opens the source of an image, runs a copy of it on one, and refuses it on a beam', async () => {
  const { open, page, bench } = await workbench({ width: 1440, height: 900, theme: 'dark' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.drop('small-image.json', smallImage);
  await expect.poll(() => bench.title.textContent()).toContain('Small image');
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();
  await page.getByLabel('Workload', { exact: true }).selectOption('X-ray diffraction');
  await expect.poll(() => code(page).textContent()).toContain('The oracle.');
  // What cannot be copied says why.
  await page.getByLabel('Workload', { exact: true }).selectOption('Linear layer with ReLU');
  await page.getByLabel('Variant', { exact: true }).selectOption('cuda-cublas');
  await expect.poll(() => says(page).textContent()).toContain('calls cuBLAS, whose code is not here');
  await page.getByLabel('Workload', { exact: true }).selectOption('X-ray diffraction');
  await page.getByRole('button', { name: 'Save copy' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('my-lattice');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Not yet trusted');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await page.getByRole('dialog', { name: 'Do you trust my-lattice.cpp?' }).waitFor();
  await page.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => verdict(page).getAttribute('data-right')).toBe('true');
  await expect.poll(() => verdict(page).textContent()).toMatch(/Bright pixels.*0\.0e\+0, 2\.0e-5 allowed/);
  await open.screenshot('kernel-editor-image-dark');
  expect(await accessibilityFaults(page)).toEqual([]);

  await bench.drop('small.json', small);
  await expect.poll(() => bench.title.textContent()).toContain('Small beam');
  await bench.panel('Kernel editor').click();
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('You trust it as it is.');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await page.getByText('is made from diffraction-reference of diffraction, and the scenario is of transport').waitFor();
});

it('begins a kernel from nothing, holds it to its own answer, and exports a reproducer, at 900 px', async () => {
  const { open, page, bench } = await workbench({ width: 900, height: 900, theme: 'dark' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();

  // By the keyboard alone.
  await page.getByRole('button', { name: 'New kernel' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New kernel' });
  await dialog.getByLabel('Begins as').selectOption('reduction');
  await dialog.getByLabel('Runs on').selectOption('.cpp');
  await dialog.getByLabel('Expected answer in').selectOption('typescript');
  await dialog.getByLabel('Name').fill('no good/name');
  await expect.poll(() => dialog.textContent()).toContain('A name has letters, digits, - _ and .');
  await dialog.getByLabel('Name').fill('first');
  await open.screenshot('kernel-editor-begin-dark');
  expect(await accessibilityFaults(page)).toEqual([]);
  await dialog.getByLabel('Name').press('Enter');
  await expect.poll(() => code(page).textContent()).toContain('Adds up the squares of a');
  await expect.poll(() => bench.title.textContent()).toContain('first');
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();

  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  const trust = page.getByRole('dialog', { name: 'Do you trust first.cpp?' });
  await expect.poll(() => trust.textContent()).toContain('first.ts, which gives its expected answer, runs too.');
  await trust.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => verdict(page).getAttribute('data-right')).toBe('true');
  await expect.poll(() => verdict(page).textContent()).toContain('first.cpp is right on this scenario');

  await page.getByRole('button', { name: 'Export reproducer' }).click();
  const folder = path.join(library, 'first-reproducer');
  await expect.poll(() => says(page).textContent()).toBe(`Exported: ${folder}`);
  await open.screenshot('kernel-editor-exported-dark');
  expect(await accessibilityFaults(page)).toEqual([]);
  const problem = JSON.parse(readFileSync(path.join(folder, 'problem.json'), 'utf8'));
  expect(problem).toMatchObject({ kind: 'task', kernel: { name: 'first.cpp' }, problem: { numbers: { results: 1 } } });
  // A second one stands beside the first.
  await page.getByRole('button', { name: 'Export reproducer' }).click();
  await expect.poll(() => says(page).textContent()).toBe(`Exported: ${folder}-2`);
  expect(open.problems).toEqual([]);
});
