/**
 * Accessibility checks of the stories: a correct part is checked again as soon as anything of its appearance changes.
 */
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import { drawn } from './drawn.ts';
import { partsOf } from './parts.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('accessible');

/** Three columns of thirty lines, on a page of the server's that is none of the workbench's: nothing of it moves. */
let page: Page;
beforeEach(async () => {
  page = (await workbench()).page;
  await page.goto(new URL('/', page.url()).href);
  await page.evaluate(() => {
    const columns = ['left', 'middle', 'right'].map((id, at) => {
      const column = Object.assign(document.createElement('div'), { id });
      Object.assign(column.style, { position: 'absolute', left: `${at * 200}px`, top: '100px', width: '200px' });
      for (let line = 0; line < 30; line += 1) {
        column.append(Object.assign(document.createElement('p'), { textContent: `line ${line}` }));
      }
      return column;
    });
    columns[2]?.append(Object.assign(document.createElement('input'), { value: 'a', ariaLabel: 'Field' }));
    const title = Object.assign(document.createElement('h1'), { textContent: 'Still' });
    const main = document.createElement('main');
    main.append(title, ...columns);
    [document.title, document.documentElement.lang] = ['Still', 'en'];
    document.body.replaceChildren(main);
  });
  await drawn(page);
});

async function faultsAfter(change: () => void): Promise<readonly string[]> {
  await page.evaluate(change);
  return accessibilityFaults(page);
}

it('finds what is wrong with what was right before, and nothing once it is mended', async () => {
  expect(await accessibilityFaults(page)).toEqual([]);
  const faint = await faultsAfter(() => document.querySelector('p')?.style.setProperty('color', '#ddd'));
  expect(faint).toEqual([expect.stringMatching(/^color-contrast: /)]);
  // A failed part is not recorded as correct.
  expect(await accessibilityFaults(page)).toEqual(faint);
  expect(await accessibilityFaults(page, null, 'colours')).toEqual(faint);
  expect(await faultsAfter(() => document.querySelector('p')?.style.removeProperty('color'))).toEqual([]);
  // A change of an ancestor.
  const within = await faultsAfter(() => document.documentElement.style.setProperty('color', '#ddd'));
  expect(within).toHaveLength(91);
  expect(await faultsAfter(() => document.documentElement.style.removeProperty('color'))).toEqual([]);
  // A change of the text that names it, elsewhere in the page.
  const named = await faultsAfter(() => {
    const button = document.createElement('button');
    button.setAttribute('aria-labelledby', 'name');
    document.querySelector('#left')?.append(button);
    document
      .querySelector('#right')
      ?.append(Object.assign(document.createElement('span'), { id: 'name', textContent: 'x' }));
  });
  expect(named).toEqual([]);
  const nameless = await faultsAfter(() => document.querySelector('#name')?.replaceChildren());
  expect(nameless).toEqual([expect.stringMatching(/^button-name: /)]);
  // By the whole page.
  const untitled = await faultsAfter(() => {
    document.querySelector('button')?.remove();
    document.title = '';
  });
  expect(untitled).toEqual([expect.stringMatching(/^document-title: /)]);
});

it('takes a part for another that lies under something, is pointed at or holds other words, and for the same when not', async () => {
  const changed = async (change: () => Promise<unknown>): Promise<number> => {
    const was = new Set(await partsOf(page));
    await change();
    return (await partsOf(page)).filter((look) => !was.has(look)).length;
  };
  const inPage = (change: () => void) => () => page.evaluate(change);
  const over = () => {
    const box = document.createElement('b');
    Object.assign(box.style, { position: 'fixed', left: '10px', top: '150px', width: '20px', height: '20px' });
    document.body.append(box);
  };
  expect(await changed(inPage(() => undefined))).toBe(0);
  // The box itself, and the column under it.
  expect(await changed(inPage(over))).toBe(2);
  expect(await changed(inPage(() => document.querySelector('b')?.remove()))).toBe(1);
  expect(await changed(inPage(() => document.querySelector('#left p')?.replaceChildren('more')))).toBe(1);
  expect(await changed(() => page.hover('#middle p'))).toBeGreaterThan(0);
  expect(await changed(() => page.fill('input', 'b'))).toBeGreaterThan(0);
  // All of them, and what holds them.
  expect(await changed(inPage(() => document.documentElement.setAttribute('data-theme', 'dark')))).toBeGreaterThan(3);
});
