/**
 * Two windows on one host: each has its own scenario and its own question about unsaved changes. Both share one set of
 * menus and all runs. The page's process crashes during a run; then the user closes that window.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { BenchPage } from '../../e2e/bench-page.ts';
import { type Driver, longScenario, poll, smallScenario, useDesktop, WAIT_MS } from '../desktop.ts';

export function windowStories(driver: Driver): void {
  const { folder, complaints, desktop } = useDesktop(driver, 'windows', (own) => {
    writeFileSync(path.join(own, 'long.json'), JSON.stringify(longScenario));
    writeFileSync(path.join(own, 'small.json'), JSON.stringify(smallScenario));
    return ['--scenario', 'long.json', '--run'];
  });
  const boxes = async () => (await desktop().asked()).dialogs.filter(({ kind }) => kind === 'box');
  const mayUndo = async () => (await desktop().menuItem('edit.undo'))?.enabled;
  let second: Page;
  const energy = (page: Page) => new BenchPage(page).field('Energy');

  describe('two windows', () => {
    it('open from the menu; the second window shows the run of the first', async () => {
      await poll(() => desktop().text('.run-strip__text')).toMatch(/step \d/);
      second = await desktop().program.pageOpenedBy(() => desktop().choose('window.new'));
      second.setDefaultTimeout(WAIT_MS);
      await poll(() => desktop().windows()).toBe(2);
      await poll(() => second.locator('.run-strip__text').textContent()).toMatch(/step \d/);
      const run = (page: Page) => page.locator('.run-head').getAttribute('data-run');
      expect(await run(second)).toBe(await run(desktop().page));
    });

    it('open a file passed by a second launch only in the front window', async () => {
      await desktop().program.startSecondInstance(['small.json'], folder);
      await poll(() => desktop().title(1)).toBe('small.json – Braggbench');
      await poll(() => energy(second).inputValue()).toBe('30');
      expect(await desktop().title(0)).toBe('long.json – Braggbench');
      expect(await energy(desktop().page).inputValue()).toBe('180');
    });

    it('show the menus of the front window', async () => {
      await energy(second).fill('31');
      await poll(() => desktop().title(1)).toBe('• small.json – Braggbench');
      await poll(mayUndo).toBe(true);
      await desktop().bringToFront(0);
      await poll(mayUndo).toBe(false);
      await desktop().bringToFront(1);
      await poll(mayUndo).toBe(true);
      await desktop().choose('edit.undo');
      await poll(() => energy(second).inputValue()).toBe('30');
      expect(await energy(desktop().page).inputValue()).toBe('180');
    });

    it('ask separately about unsaved changes; only the last window asks about runs', async () => {
      await energy(second).fill('32');
      await poll(() => desktop().title(1)).toBe('• small.json – Braggbench');
      await desktop().closeWindow(1);
      const question = second.getByRole('dialog', { name: /Save changes to small\.json/ });
      await question.waitFor();
      expect(await desktop().page.getByRole('dialog').count()).toBe(0);
      await question.getByRole('button', { name: 'Don’t save' }).click();
      await poll(() => desktop().windows()).toBe(1);
      // The run continues, and the menus belong to the remaining window.
      expect(await boxes()).toEqual([]);
      await poll(mayUndo).toBe(false);
      await poll(() => desktop().text('.run-strip__text')).toMatch(/step \d/);
      expect(complaints).toEqual([]);
      await desktop().answerBox(1);
      await desktop().closeWindow();
      expect(await desktop().program.ended).toBe(0);
      expect((await boxes())[0]?.options).toMatchObject({ message: 'A run is still in progress.' });
    });
  });
}

export function crashStories(driver: Driver): void {
  const { desktop } = useDesktop(driver, 'crash', (folder) => {
    writeFileSync(path.join(folder, 'long.json'), JSON.stringify(longScenario));
    return ['--scenario', 'long.json', '--run'];
  });
  const progress = () => desktop().text('.run-strip__text');
  const boxes = async () => (await desktop().asked()).dialogs.filter(({ kind }) => kind === 'box');

  describe('a page that crashes', () => {
    it('can be reloaded, and then shows the run that continued', async () => {
      await poll(progress).toMatch(/step \d/);
      await desktop().answerBox(0);
      await desktop().crashPage();
      await poll(async () => (await boxes()).length).toBe(1);
      expect((await boxes())[0]?.options).toMatchObject({
        message: 'The page stopped working.',
        buttons: ['Reload', 'Close'],
      });
      await poll(() => desktop().text('h1')).toBe('long.json');
      await poll(progress).toMatch(/step \d/);
    });

    it('asks before closing cancels an active run, and cancels it after confirmation', async () => {
      await desktop().answerBox(0);
      await desktop().closeWindow();
      await poll(async () => (await boxes()).length).toBe(2);
      expect((await boxes())[1]?.options).toMatchObject({
        message: 'A run is still in progress.',
        buttons: ['Keep computing', 'Stop and close'],
      });
      await poll(progress).toMatch(/step \d/);
      expect(await desktop().windows()).toBe(1);
      await desktop().answerBox(1);
      await desktop().closeWindow();
      expect(await desktop().program.ended).toBe(0);
    });
  });
}
