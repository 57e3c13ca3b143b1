import { expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import { focused } from './focused.ts';
import { inEveryLook, type Look } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { loaded } = useWorkbench('questions', ['--scenario', 'assets/scenarios/water-70MeV.json', '--run']);

it('goes through every other question in a narrow window and at 200 %, in both themes, without a mouse', async () => {
  const { open, page } = await loaded({ firstVisit: true });
  await page.locator('.question').first().waitFor();
  const narrow: Look = { name: '900-dark', width: 900, height: 700, theme: 'dark' };
  const zoomed: Look = { name: '720-light', width: 720, height: 450, theme: 'light' };
  for (const title of ['See a beam stop', 'An X-ray image', 'Is this claim true?', 'Write a kernel of my own']) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command' }).fill(title.replace('?', ''));
    await page.keyboard.press('Enter');
    await expect.poll(focused(page)).toBe(`Hint 1 of 3: ${title}`);
    await inEveryLook(
      page,
      async ({ name }) => {
        // Hints of panels that share a place are gone to one by one.
        for (const hint of [2, 3, 1]) {
          const from = page.getByRole('region', { name: `Hint ${hint === 1 ? 3 : hint - 1} of 3: ${title}` });
          await from.getByRole('button', { name: 'Next' }).press('Enter');
          await expect.poll(focused(page)).toBe(`Hint ${hint} of 3: ${title}`);
        }
        await open.screenshot(`question-${title.split(' ').at(-1)?.replace('?', '')}-${name}`);
        expect(await accessibilityFaults(page), `${title}, ${name}`).toEqual([]);
      },
      [narrow, zoomed],
    );
  }
  expect(open.problems).toEqual([]);
});
