import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { workbench } = useWorkbench(
  'e2e-long',
  ['--scenario', path.join(root, 'assets/scenarios/water-70MeV.json')],
  // Without visible GPUs, the page is the same on all machines.
  () => ({ CUDA_VISIBLE_DEVICES: '' }),
);

let open: OpenPage;
let bench: BenchPage;

async function openBench(): Promise<void> {
  ({ open, bench } = await workbench());
  await expect.poll(() => bench.title.textContent()).toContain('water-70MeV.json');
  // Until the host has answered for this file, an edit has no last valid values to show.
  await expect.poll(() => open.page.locator('.resolved:not(.resolved--stale)').textContent()).toContain('40.80 mm');
}

/** Every test ends with a page that has reported no errors. */
function closeBench(): void {
  expect(open.problems).toEqual([]);
}

describe('the workbench in a browser', () => {
  beforeEach(() => openBench());

  it('undoes and redoes edits, field by field', async () => {
    await bench.field('Energy').fill('100');
    await bench.field('Angle').fill('10');
    await expect.poll(() => open.page.getByText('edited').count()).toBe(1);
    await open.page.keyboard.press('Control+z');
    await expect.poll(() => bench.field('Angle').inputValue()).toBe('');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('100');
    await open.page.keyboard.press('Control+z');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('70');
    await expect.poll(() => open.page.getByText('edited').count()).toBe(0);
    await open.page.keyboard.press('Control+Shift+z');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('100');
    await open.page.keyboard.press('Control+z');
    closeBench();
  });

  it('asks about unsaved changes before it opens another document', async () => {
    await bench.field('Energy').fill('95');
    await bench.menu('File', 'New scenario');
    const dialog = open.page.getByRole('dialog', { name: /Save changes to water-70MeV/ });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('95');
    await bench.menu('File', 'New scenario');
    await dialog.getByRole('button', { name: 'Don’t save' }).click();
    await expect.poll(() => bench.title.textContent()).toBe('Untitled');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('70');
    closeBench();
  });

  it('edits regions and shows them in the geometry', async () => {
    await bench.menu('File', 'New scenario');
    await open.page.getByRole('button', { name: 'Add a region' }).click();
    await open.page.getByRole('menuitem', { name: /^Half slab/ }).click();
    await open.page.getByLabel('Name of region 1').fill('Bone');
    const icon = open.page.getByRole('button', { name: 'Remove region 1' }).locator('svg');
    expect((await icon.boundingBox())?.width).toBeCloseTo(13, 1);
    await open.page.locator('.region').getByLabel('Depth, start').fill('100');
    await expect.poll(() => open.page.locator('.region .field__faults').count()).toBeGreaterThan(0);
    await open.page.keyboard.press('Control+z');
    await expect.poll(() => open.page.locator('.region .field__faults').count()).toBe(0);
    await open.page.getByRole('button', { name: 'Remove region 1' }).click();
    await expect.poll(() => open.page.getByText('None: one material everywhere.').count()).toBe(1);
    closeBench();
  });

  it('lists every shortcut, and moves panels by the keyboard', async () => {
    await open.page.keyboard.press('Control+/');
    const dialog = open.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect.poll(() => dialog.textContent()).toMatch(/Ctrl\+Enter/);
    await open.page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    await bench.panel('Scenario').focus();
    await open.page.keyboard.press('ArrowRight');
    await expect.poll(() => bench.panel('Runs').getAttribute('aria-selected')).toBe('true');
    const handle = open.page.getByRole('separator', { name: /^Between Runs and/ });
    const before = await handle.boundingBox();
    await handle.focus();
    await open.page.keyboard.press('ArrowRight');
    await expect.poll(async () => (await handle.boundingBox())?.x).toBe((before?.x ?? 0) + 16);
    closeBench();
  });
});
