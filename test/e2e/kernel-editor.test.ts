/** A user kernel from its copy to the comparison, as a user writes it; on the CPU, with the installed C++ compiler. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessible.ts';
import { code, compileTimeout, expectNotice, smallScenarioText, useKernelEditor, verdict } from './workbench-page.ts';

const { home, workbench } = useKernelEditor();
const library = path.join(home, 'library');

it('the kernel editor copies a variant, marks an error at its line, asks for trust in foreign code, and compares the copy', {
  tags: 'slow',
}, async () => {
  const { open, page, bench } = await workbench({ width: 1440, height: 900, theme: 'light' });
  await bench.layout('Alt+Shift+2', 'Compare');
  await bench.drop('small.json', smallScenarioText);
  await expect.poll(() => bench.title.textContent()).toContain('Small beam');

  // A shipped variant can be read and copied.
  await bench.panel('Kernel editor').click();
  await page.getByRole('button', { name: 'Enlarge Kernel editor' }).click();
  await page.getByLabel('Variant', { exact: true }).selectOption('gather');
  await expect.poll(() => code(page).textContent()).toContain('class Gather final');
  await expect.poll(() => code(page).getAttribute('aria-readonly')).toBe('true');
  await open.screenshot('kernel-editor-shipped-light');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save copy' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('my-gather');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
  expect(JSON.parse(readFileSync(path.join(library, 'my-gather.json'), 'utf8'))).toMatchObject({
    base: 'gather',
    replaces: 'kernels/transport/cpu/gather.cpp',
  });

  // A mistake is shown at its line, reached by the keyboard alone.
  await code(page).focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('undefined_thing;');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.cm-line').first().textContent()).toBe('undefined_thing;');
  await page.keyboard.press('Control+b');
  // A copy of shipped code is trusted without a question, including edits typed in this editor.
  await expect.poll(() => expectNotice(page).textContent(), compileTimeout).toBe('Does not compile: 1 error');
  const issue = page.getByRole('region', { name: 'Compiler messages' }).getByRole('button');
  await expect.poll(() => issue.textContent()).toContain('my-gather.cpp:1:1');
  await page.locator('.cm-lint-marker-error').waitFor();
  await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('undefined_thing');
  await open.screenshot('kernel-editor-error-light');
  expect(await accessibilityViolations(page)).toEqual([]);

  // Click the issue, correct the code at that position, and run the kernel.
  await issue.click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Delete');
  await expect.poll(() => page.locator('.cm-line').first().textContent()).not.toBe('undefined_thing;');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => verdict(page).getAttribute('data-right'), compileTimeout).toBe('true');
  await expect.poll(() => verdict(page).textContent()).toContain('my-gather.cpp is correct on this scenario');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
  await open.screenshot('kernel-editor-right-light');
  expect(await accessibilityViolations(page)).toEqual([]);

  // Compiler options are shown and can be changed. The kernel stays trusted, because the user made the change.
  const options = page.locator('.compile-options');
  await expect.poll(() => options.locator('summary').textContent()).toBe('Compiler options: default');
  await options.locator('summary').click();
  await page.getByLabel('Macros').fill('LOUD=(3)');
  await expect.poll(() => options.textContent()).toContain('LOUD is "(3)"; allowed: letters, digits, _ . + -');
  await page.getByLabel('Macros').fill('LOUD=3');
  await page.keyboard.press('Tab');
  await expect.poll(() => options.locator('summary').textContent()).toBe('Compiler options: LOUD=3');
  await page.getByLabel('Fused multiply-add').selectOption('a·b + c not fused');
  await expect.poll(() => options.locator('summary').textContent()).toContain('no fused multiply-add');
  expect(JSON.parse(readFileSync(path.join(library, 'my-gather.json'), 'utf8'))).toMatchObject({
    compile: { fmad: false, defines: { LOUD: 3 } },
  });
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
  await open.screenshot('kernel-editor-options-light');
  expect(await accessibilityViolations(page)).toEqual([]);

  // A file changed by another program needs the user's trust again; this one gives a wrong result.
  const file = path.join(library, 'my-gather.cpp');
  const text = readFileSync(file, 'utf8');
  const louder = '    sum_ = {};\n    for (T& p : state_.psi) p *= T(1.001);\n    std::printf("told %d\\n", LOUD);\n';
  writeFileSync(file, `#include <cstdio>\n${text.replace('    sum_ = {};\n', louder)}`);
  await page.getByLabel('Variant', { exact: true }).selectOption('gather');
  await expect.poll(() => code(page).getAttribute('aria-readonly')).toBe('true');
  await page.getByLabel('Variant', { exact: true }).selectOption('my-gather.cpp');
  await expect.poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Not yet trusted');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  const dialog = page.getByRole('dialog', { name: 'Do you trust my-gather.cpp?' });
  await dialog.waitFor();
  await expect.poll(() => dialog.textContent()).toContain('It is code that runs with your rights');
  await open.screenshot('kernel-editor-trust-light');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Do not run it' }).click();
  await expect.poll(() => expectNotice(page).textContent()).toContain('It was not compiled');
  await page.getByRole('button', { name: 'Run', exact: true }).last().click();
  await dialog.waitFor();
  await dialog.getByRole('button', { name: 'I trust it' }).click();
  await expect.poll(() => verdict(page).getAttribute('data-right'), compileTimeout).toBe('false');
  await expect.poll(() => verdict(page).textContent()).toContain('Ledgerwrong');
  const printed = page.getByRole('region', { name: 'What my-gather.cpp printed' });
  await expect.poll(() => printed.textContent()).toContain('told 3\ntold 3');
  await open.screenshot('kernel-editor-wrong-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await open.screenshot('kernel-editor-wrong-dark');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 900, height: 700 });
  await open.screenshot('kernel-editor-wrong-900');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });

  // Both kernels are listed among the variants of every comparison.
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
