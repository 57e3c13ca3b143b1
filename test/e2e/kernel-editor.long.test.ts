/**
 * User kernels of images, and kernels written from scratch. `kernel-editor.test.ts` covers a copy of a beam's kernel.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import { accessibilityViolations } from './accessible.ts';
import { code, expectNotice, smallScenarioText, useKernelEditor, verdict } from './workbench-page.ts';

const { home, workbench } = useKernelEditor();

const small64 = JSON.stringify({ ...smallImage, name: 'Small image', detector: { width: 64, height: 48 } });

it('the kernel editor opens the source of an image kernel, runs a copy on an image, and rejects the copy for a beam', async () => {
  const { open, page, bench } = await workbench({ width: 1440, height: 900, theme: 'dark' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.drop('small-image.json', small64);
  await expect.poll(() => bench.title.textContent()).toContain('Small image');
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();
  await page.getByLabel('Workload', { exact: true }).selectOption('X-ray diffraction');
  await expect.poll(() => code(page).textContent()).toContain('Reference solver');
  // A variant that cannot be copied states the reason.
  await page.getByLabel('Workload', { exact: true }).selectOption('Linear layer with ReLU');
  await page.getByLabel('Variant', { exact: true }).selectOption('cuda-cublas');
  await expect.poll(() => expectNotice(page).textContent()).toContain('calls cuBLAS, whose source is not available');
  await page.getByLabel('Workload', { exact: true }).selectOption('X-ray diffraction');
  await page.getByRole('button', { name: 'Save copy' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('my-lattice');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await expect.poll(() => verdict(page).getAttribute('data-right')).toBe('true');
  await expect.poll(() => verdict(page).textContent()).toMatch(/Bright pixels.*0\.0e\+0, 2\.0e-5 allowed/);
  await open.screenshot('kernel-editor-image-dark');
  expect(await accessibilityViolations(page)).toEqual([]);

  await bench.drop('small.json', smallScenarioText);
  await expect.poll(() => bench.title.textContent()).toContain('Small beam');
  await bench.panel('Kernel editor').click();
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await page
    .getByText('is based on diffraction-reference of diffraction, but the scenario is of kind transport')
    .waitFor();
});

it('the kernel editor creates a kernel from a template, checks it against its reference, and exports a reproducer, at a width of 900 px', async () => {
  const { open, page, bench } = await workbench({ width: 900, height: 900, theme: 'dark' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();

  // Uses the keyboard alone.
  await page.getByRole('button', { name: 'New kernel' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New kernel' });
  await dialog.getByLabel('Begins as').selectOption('reduction');
  await dialog.getByLabel('Runs on').selectOption('.cpp');
  await dialog.getByLabel('Language of the expected result').selectOption('typescript');
  await dialog.getByLabel('Name').fill('no good/name');
  await expect.poll(() => dialog.textContent()).toContain('Use only letters, digits, - _ and .');
  await dialog.getByLabel('Name').fill('first');
  await open.screenshot('kernel-editor-begin-dark');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByLabel('Name').press('Enter');
  await expect.poll(() => code(page).textContent()).toContain('Adds up the squares of a');
  await expect.poll(() => bench.title.textContent()).toContain('first');
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();

  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  // On busy cores it may stay unknown whether the kernel remembers results, which is not an error.
  await expect.poll(() => verdict(page).getAttribute('data-right')).toMatch(/^(true|open)$/);
  await expect
    .poll(() => verdict(page).textContent())
    .toMatch(/first\.cpp is (correct on this scenario: |not checked on this scenario.*may remember)/);

  await page.getByRole('button', { name: 'Export reproducer' }).click();
  const folder = path.join(home, 'library', 'first', 'first-reproducer');
  await expect.poll(() => expectNotice(page).textContent()).toBe(`Exported: ${folder}`);
  await open.screenshot('kernel-editor-exported-dark');
  expect(await accessibilityViolations(page)).toEqual([]);
  const problem = JSON.parse(readFileSync(path.join(folder, 'problem.json'), 'utf8'));
  expect(problem).toMatchObject({
    kind: 'task',
    kernel: { name: 'first.cpp' },
    problem: { bench: 'first', numbers: { n: 1_000_000 } },
  });
  // A second reproducer is saved next to the first.
  await page.getByRole('button', { name: 'Export reproducer' }).click();
  await expect.poll(() => expectNotice(page).textContent()).toBe(`Exported: ${folder}-2`);
  expect(open.problems).toEqual([]);
});
