/** A work session in the desktop program, from opening a file at start to the question before closing. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tickOnly } from '../../e2e/compare-page.ts';
import { type Driver, poll, smallScenario, useDesktop } from '../desktop.ts';
import { guardStories } from './guards.ts';

const quickScenario = {
  kind: 'transport',
  version: 1,
  name: 'Quick',
  beam: { energy_MeV: 70 },
  solver: { stepping: 'depth' },
};
export function workStories(driver: Driver): void {
  const session = useDesktop(driver, 'work', (folder) => {
    writeFileSync(path.join(folder, 'quick.braggbench.json'), JSON.stringify(quickScenario));
    return ['quick.braggbench.json', '--run'];
  });
  const { folder, home, complaints, desktop } = session;
  const file = (name: string): string => path.join(folder, name);
  const energy = () => desktop().bench.field('Energy');

  describe('the desktop program', () => {
    it('opens and runs the scenario file named on its command line', async () => {
      await poll(() => desktop().title()).toBe('quick.braggbench.json – Braggbench');
      await desktop().bench.r80.waitFor();
      expect(Number.parseFloat((await desktop().bench.r80.textContent()) ?? '')).toBeCloseTo(40.8, 0);
      expect(await desktop().windows()).toBe(1);
      const visible = await desktop().program.evaluate(
        ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible(),
        null,
      );
      expect(visible).toBe(true);
    });

    guardStories(session);

    it('shows its commands in native menus, which act on the page', async () => {
      await desktop().choose('view.theme.dark');
      await poll(() => desktop().page.locator('html').getAttribute('data-theme')).toBe('dark');
      await poll(async () => (await desktop().menuItem('view.theme.dark'))?.checked).toBe(true);
      // The tick stays when the item is chosen again, although Electron has toggled it off.
      await desktop().choose('view.theme.dark');
      await poll(async () => (await desktop().menuItem('view.theme.dark'))?.checked).toBe(true);
      expect(await desktop().menus()).toEqual(expect.arrayContaining(['File', 'Edit', 'Run', 'View', 'Help']));
      const open = await desktop().menuItem('file.open');
      expect(open).toMatchObject({ accelerator: 'CmdOrCtrl+O', registerAccelerator: false, enabled: true });
      // The menu entry must not have Escape as accelerator, because dialogs would then never receive the key.
      expect((await desktop().menuItem('view.unpin'))?.accelerator).toBeNull();
      // With native menus the page has no menu bar.
      expect(await desktop().page.getByRole('menubar').count()).toBe(0);
    });

    it('marks unsaved changes, undoes from the menu, and saves through the native dialog', async () => {
      await energy().fill('80');
      await poll(() => desktop().title()).toBe('• quick.braggbench.json – Braggbench');
      await poll(async () => (await desktop().menuItem('edit.undo'))?.label).toBe('Undo Energy');
      await desktop().choose('edit.undo');
      await poll(() => energy().inputValue()).toBe('70');
      await poll(() => desktop().title()).toBe('quick.braggbench.json – Braggbench');
      await energy().fill('85');
      const saved = file('saved.json');
      await desktop().answerFile(saved);
      await desktop().choose('file.saveAs');
      await poll(() => existsSync(saved)).toBe(true);
      expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({ beam: { energy_MeV: 85 } });
      await poll(() => desktop().title()).toBe('saved.json – Braggbench');
      const { dialogs, recent } = await desktop().asked();
      expect(recent).toContain(saved);
      expect(dialogs.at(-1)).toMatchObject({ kind: 'save', options: { defaultPath: 'quick.braggbench.json' } });
    });

    it('opens a file and a run, each chosen in its native dialog', async () => {
      const run = file('run.h5');
      await desktop().answerFile(run);
      await desktop().choose('run.save');
      await poll(() => existsSync(run)).toBe(true);
      // Opening a scenario replaces the shown run too.
      await desktop().answerFile(file('quick.braggbench.json'));
      await desktop().choose('file.open');
      await poll(() => energy().inputValue()).toBe('70');
      await desktop().answerFile(run);
      await desktop().choose('run.open');
      await desktop().bench.panel('Runs').click();
      await poll(() => desktop().page.locator('.run-entry__file', { hasText: 'run.h5' }).count()).toBeGreaterThan(0);
    });

    it('stores crash reports and the log in the data folder, and opens that folder', async () => {
      const kept = await desktop().program.evaluate(
        ({ app }) => [app.getPath('crashDumps'), app.getPath('userData')],
        null,
      );
      expect(kept).toEqual([path.join(home, 'crashes'), path.join(home, 'desktop')]);
      await desktop().choose('help.log');
      await poll(async () => (await desktop().asked()).folders).toEqual([path.join(home, 'logs')]);
      expect(readFileSync(path.join(home, 'logs', 'braggbench.log'), 'utf8')).toMatch(/has started/);
    });

    it('sets the library folder through the native dialog', async () => {
      const chosen = file('my library');
      await desktop().answerFile(chosen);
      await desktop().choose('library.folder');
      await desktop().bench.panel('Library').click();
      await poll(() => desktop().page.locator('.library-panel__foot').textContent()).toContain(chosen);
      await desktop().bench.panel('Runs').click();
    });

    it('opens files from a second start in the existing window', async () => {
      const before = (await desktop().asked()).focused;
      await desktop().program.startSecondInstance(['saved.json'], folder);
      await poll(() => energy().count()).toBe(0); // now the Runs tab is in front
      await desktop().bench.panel('Scenario').click();
      await poll(() => energy().inputValue()).toBe('85');
      expect((await desktop().asked()).focused).toBe(before + 1);
      expect(await desktop().windows()).toBe(1);
    });

    it('opens a file passed by the operating system while the program is running', async () => {
      const handed = file('small.braggbench.json');
      writeFileSync(handed, JSON.stringify(smallScenario));
      const prevented = await desktop().program.evaluate(({ app }, opened) => {
        let taken = false;
        const event = {
          preventDefault: () => {
            taken = true;
          },
        };
        app.emit('open-file', event, opened);
        return taken;
      }, handed);
      expect(prevented).toBe(true);
      await poll(() => desktop().title()).toBe('small.braggbench.json – Braggbench');
    });

    it('streams the steps of a run to the page, which draws them', async () => {
      const head = desktop().page.locator('.run-head');
      const before = (await head.count()) > 0 ? await head.getAttribute('data-run') : '';
      await desktop().choose('run.start');
      await desktop().page.locator(`.run-head:not([data-run="${before}"])`).waitFor();
      await desktop().bench.state('Done').waitFor();
      await poll(() => desktop().bench.doseShare()).toBeGreaterThan(0.05);
      await poll(async () => (await desktop().menuItem('view.playback.previous'))?.enabled).toBe(true);
    });

    it('prints a report as an A4 PDF in a hidden window that is closed afterwards', { tags: 'slow' }, async () => {
      await desktop().choose('view.layout.compare');
      const pdf = file('report.pdf');
      await desktop().answerFile(pdf);
      await desktop().page.getByRole('button', { name: 'Report', exact: true }).first().click();
      await desktop()
        .page.getByRole('menuitem', { name: /^Report as PDF/ })
        .click();
      await poll(() => existsSync(pdf)).toBe(true);
      const text = readFileSync(pdf).toString('latin1');
      expect(text.slice(0, 5)).toBe('%PDF-');
      expect(text).toMatch(/\/MediaBox \[0 0 59[45](\.\d+)? 84[12]/);
      expect((await desktop().asked()).dialogs.at(-1)).toMatchObject({ kind: 'save', options: { title: 'Export' } });
      await poll(() => desktop().windows()).toBe(1);
    });

    it('runs a user kernel in a separate process', { tags: 'slow' }, async () => {
      const { page, bench } = desktop();
      await bench.panel('Kernel editor').click();
      const facts = page.locator('.kernel-editor__facts');
      await page.getByLabel('Variant', { exact: true }).selectOption('gather');
      await page.getByRole('button', { name: 'Save copy' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('mine');
      await page.keyboard.press('Enter');
      // A copy of a shipped kernel needs no question.
      await poll(() => facts.textContent()).toContain('Trusted in this version.');
      await page.getByRole('button', { name: 'Run', exact: true }).last().click();
      await poll(() => page.getByTestId('user-kernel-verdict').getAttribute('data-right')).toBe('true');
      await desktop().choose('view.layout.simulate');
    });

    it('asks for trust in a problem folder with the native dialog, and runs no code from it before that', {
      tags: 'slow',
    }, async () => {
      const { page, bench } = desktop();
      const problem = file('softmax-rows');
      cpSync(path.resolve(import.meta.dirname, '../../../assets/problems/softmax-rows'), problem, { recursive: true });
      await desktop().answerFile(path.join(problem, 'problem.json'));
      await desktop().choose('file.open');
      await poll(() => desktop().title()).toBe('softmax-rows – Braggbench');
      await bench.field('rows').fill('16');
      await desktop().choose('file.save');
      await poll(() => desktop().title()).toBe('softmax-rows – Braggbench');
      await desktop().choose('view.layout.compare');
      await tickOnly(page, ['numpy.py', 'overflow.cpp']);
      const benchmark = page.getByRole('button', { name: 'Benchmark', exact: true });
      const question = page.getByRole('dialog', { name: 'Do you trust the problem softmax-rows?' });
      await benchmark.click();
      await question.waitFor();
      await page.keyboard.press('Escape');
      await poll(() => question.count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Stop benchmark' }).count()).toBe(0);
      // The question is shown again until the user answers.
      await benchmark.click();
      await question.getByRole('button', { name: 'I trust them', exact: true }).click();
      await page.getByRole('button', { name: 'Stop benchmark' }).click();
      await benchmark.waitFor();
      // The answer also applies in the editor.
      await bench.panel('Kernel editor').click();
      await page.getByLabel('Workload', { exact: true }).selectOption('user-problem/softmax-rows');
      await page.getByLabel('Variant', { exact: true }).selectOption('overflow.cpp');
      await poll(() => page.locator('.kernel-editor__facts').textContent()).toContain('Trusted in this version.');
      await desktop().choose('view.layout.simulate');
      await desktop().answerFile(file('small.braggbench.json'));
      await desktop().choose('file.open');
      await poll(() => desktop().title()).toBe('small.braggbench.json – Braggbench');
      await poll(() => energy().inputValue()).toBe('30');
      await bench.waitUntilRunnable();
    });

    it('keeps the window open while asking about unsaved changes, and closes it after the answer', async () => {
      const { page } = desktop();
      await desktop().answerFile(file('saved.json'));
      await desktop().choose('file.open');
      await poll(() => energy().inputValue()).toBe('85');
      await energy().fill('86');
      await poll(() => desktop().title()).toBe('• saved.json – Braggbench');
      await desktop().closeWindow();
      const question = page.getByRole('dialog', { name: /Save changes to saved\.json/ });
      await question.waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await poll(() => question.count()).toBe(0);
      expect(await desktop().windows()).toBe(1);
      expect(complaints).toEqual([]);

      // The page's answer to the first question may still arrive, and must not count as the answer to this one.
      await desktop().closeWindow();
      await question.getByRole('button', { name: 'Save', exact: true }).click();
      expect(await desktop().program.ended).toBe(0);
      expect(JSON.parse(readFileSync(file('saved.json'), 'utf8'))).toMatchObject({ beam: { energy_MeV: 86 } });
      expect(existsSync(path.join(home, 'desktop/window.json'))).toBe(true);
    });
  });
}
