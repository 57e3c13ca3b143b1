/** Questions put away, found again, and gone through in every look. */
import { expect, it } from 'vitest';
import { accessibilityFaults } from './accessible.ts';
import { focused } from './focused.ts';
import { inEveryLook, type Look } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('questions', ['--scenario', 'assets/scenarios/water-70MeV.json', '--run']);

it('is put away for good, found by name and under Help, and checks a beam against a Monte Carlo', async () => {
  const { open, page, bench } = await workbench({ firstVisit: true });
  await page.getByRole('button', { name: 'Put away' }).click();
  await expect.poll(() => bench.panel('Questions').count()).toBe(0);
  await page.reload();
  await bench.state('Done').waitFor();
  expect(await bench.panel('Questions').count()).toBe(0);

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command' }).fill('monte');
  await page.keyboard.press('Enter');
  await expect.poll(focused(page)).toMatch(/^Hint 1 of 3: Check against Monte Carlo/);
  await expect.poll(() => bench.r80.textContent()).toContain('137.0');
  await page.getByRole('button', { name: 'Curves over the depth dose' }).click();
  // More than nine points in ten within 1 % and 1 mm, in absolute units.
  await expect.poll(() => page.locator('.depth-dose__overlay').textContent()).toMatch(/TOPAS.*γ (9\d\.\d|100) ?%/);
  await open.screenshot('question-monte-carlo');
  await page.keyboard.press('Escape');

  await bench.menu('Help', 'Questions to begin with');
  await expect.poll(() => bench.panel('Questions').getAttribute('aria-selected')).toBe('true');
  await page.getByRole('button', { name: /^Where does the time go/ }).click();
  await expect.poll(() => page.getByText('cuda-fused', { exact: false }).first().isVisible()).toBe(true);
  await expect.poll(focused(page)).toMatch(/^Hint 1 of 3: Where does the time go/);
  // It was recorded on a GPU; the scenario in the form runs here.
  await expect.poll(() => bench.run.isEnabled()).toBe(true);
  await open.screenshot('question-time');
  expect(await page.getByText('edited', { exact: true }).count()).toBe(0);
  expect(open.problems).toEqual([]);
});

it('goes through every other question in a narrow window and at 200 %, in both themes, without a mouse', async () => {
  const { open, page } = await workbench({ firstVisit: true });
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
