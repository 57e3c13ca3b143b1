/** The workbench at all sizes, scales and themes that it is used in: accessible, and nothing cut off. */
import { it } from 'vitest';
import { appearances, checkPanelAppearances, checkRunAppearances } from './appearance-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('looks');

it('the page is accessible and fully visible from 900 to 2560 pixels, light and dark', async () =>
  checkRunAppearances(await workbench(), [
    ...appearances,
    { name: '2560-dark', width: 2560, height: 1440, theme: 'dark' },
  ]));

it('the page is accessible and fully visible at 1440 pixels and 200 % zoom', async () =>
  checkRunAppearances(await workbench({ width: 720, height: 450, scale: 2 }), [
    { name: '1440-at-200', width: 720, height: 450, theme: 'light' },
  ]));

it('every panel is accessible, light and dark', async () =>
  checkPanelAppearances(await workbench(), ['light', 'dark']));
