/** The handbook in a real browser: by F1 from a panel, by menu and palette, with links and search, in both themes. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { inEveryLook, seenWhole } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const scenario = path.resolve(import.meta.dirname, '../../assets/scenarios/water-70MeV.json');
const { workbench } = useWorkbench('handbook', ['--scenario', scenario, '--run']);

it('opens at the panel in focus, leads from page to page, and is searched', async () => {
  const { open, page, bench } = await workbench();
  await bench.r80.waitFor();
  // As the README shows it.
  await inEveryLook(page, async (look) => open.screenshot(`readme-${look.name}`));

  // F1, with the ledger in focus.
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
  // From a field of the form too.
  await page.getByLabel('Energy', { exact: true }).first().click();
  await page.keyboard.press('F1');
  const scenarios = page.getByRole('region', { name: 'Handbook: Scenarios' });
  await scenarios.getByRole('heading', { level: 1, name: 'Scenarios' }).waitFor();

  // Back, and by a link.
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await book.getByRole('link', { name: 'Comparing', exact: true }).click();
  const comparing = page.getByRole('region', { name: 'Handbook: Comparing' });
  await comparing.getByRole('link', { name: 'Published claims' }).first().click();
  await page
    .getByRole('region', { name: 'Handbook: Published claims' })
    .getByRole('row', { name: /Uncoalesced access wastes 32×/ })
    .first()
    .waitFor();
  await seenWhole(open, 'handbook-table');

  // By the palette, and a search.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('physics and limits');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Handbook: Physics and limits' }).waitFor();
  await seenWhole(open, 'handbook-page');
  const field = page.getByRole('textbox', { name: 'Search the handbook' });
  await field.fill('noise floor');
  await expect
    .poll(() => page.getByRole('status').allTextContents())
    .toContainEqual(expect.stringMatching(/parts? with/));
  await seenWhole(open, 'handbook-search');
  await page.getByRole('button', { name: /^Comparing › Which variant is faster\?/ }).click();
  await comparing.getByRole('heading', { name: 'Which variant is faster?' }).waitFor();
  await field.fill('zzz nothing');
  await expect.poll(() => page.getByRole('status').allTextContents()).toContainEqual('No parts with “zzz nothing”');
  expect(open.problems).toEqual([]);
});
