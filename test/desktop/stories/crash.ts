/** The page's process crashes while a run computes; then the user closes the window on it. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { poll, useDesktop } from '../desktop.ts';
import type { Driver } from '../driver.ts';
import { long } from './scenarios.ts';

export function tellCrash(driver: Driver): void {
  const { desktop } = useDesktop(driver, 'crash', (folder) => {
    writeFileSync(path.join(folder, 'long.json'), JSON.stringify(long));
    return ['--scenario', 'long.json', '--run'];
  });
  const progress = () => desktop().text('.run-strip__text');
  const boxes = async () => (await desktop().asked()).dialogs.filter(({ kind }) => kind === 'box');

  describe('a page that crashes', () => {
    it('is offered anew, and shows the run that went on', async () => {
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

    it('does not close on a run that computes without a word, and ends it after one', async () => {
      await desktop().answerBox(0);
      await desktop().closeWindow();
      await poll(async () => (await boxes()).length).toBe(2);
      expect((await boxes())[1]?.options).toMatchObject({
        message: 'A run is still computing.',
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
