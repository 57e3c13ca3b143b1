/** Every empty panel offers a button, and pressing the button has an effect. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { smallImage } from '../electron/host/workloads/small-image.ts';
import type { BenchPage } from './bench-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('empty-states');

const image = { ...smallImage, name: 'Small image' };
const layer = {
  kind: 'linear-relu',
  version: 1,
  name: 'Small layer',
  problem: { batch: 8, inputs: 8, outputs: 8 },
};

/** Opens a scenario without running it. */
async function openScenario(bench: BenchPage, scenario: { readonly name: string } | null): Promise<void> {
  if (scenario === null) return;
  await bench.drop('small.json', JSON.stringify(scenario));
  await expect.poll(() => bench.title.textContent()).toBe(scenario.name);
}

const LAYOUTS = ['Simulate', 'Compare', 'Profile'];
async function chooseLayout(page: Page, layout: number): Promise<void> {
  await page.getByRole('radio', { name: LAYOUTS[layout] ?? '' }).check();
}

/** Brings a tab to the front, and waits until its panel shows something. */
async function showPanel(page: Page, tab: Locator): Promise<Locator> {
  await tab.click();
  const panel = page.locator(`[role="tabpanel"][aria-labelledby="${await tab.getAttribute('id')}"]`);
  await expect.poll(async () => (await panel.innerText()).trim().length).toBeGreaterThan(0);
  return panel;
}

type Offer = Readonly<{ layout: number; panel: string; title: string; button: string }>;

/** State of a panel at one moment: an offer, content, or a list that is loading and has no offer yet. */
type ShownPanel = Readonly<{ title: string; button: string; enabled: boolean }> | 'waits' | 'full';

const shownPanels = (panel: Locator): Promise<ShownPanel> =>
  panel.evaluate((element): ShownPanel => {
    const empty = [...element.querySelectorAll<HTMLElement>('.empty-state')].find((one) => one.checkVisibility());
    if (empty === undefined) return element.querySelector('.group__loading') === null ? 'full' : 'waits';
    const button = empty.querySelector<HTMLButtonElement>('button');
    if (button === null) return 'waits';
    const title = empty.querySelector('.empty-state__title')?.textContent ?? '';
    return { title, button: button.innerText.trim(), enabled: !button.disabled && button.ariaDisabled !== 'true' };
  });

/** Waits until the state is the same twice, some frames apart: a panel shows its frame before it begins to read. */
async function settledState(panel: Locator, what: string): Promise<Exclude<ShownPanel, 'waits'>> {
  let [before, now]: ShownPanel[] = ['waits', 'waits'];
  const look = async (): Promise<boolean> => {
    [before, now] = [now, await shownPanels(panel)];
    return now !== 'waits' && JSON.stringify(now) === JSON.stringify(before);
  };
  await expect.poll(look, { message: what, interval: 100 }).toBe(true);
  if (now === undefined || now === 'waits') throw new Error(`${what}: nothing stands there`);
  return now;
}

/** Offers of a page's empty panels. Fails if one never has an offer. */
async function findOffers(page: Page, layouts: readonly number[]): Promise<readonly Offer[]> {
  const offers: Offer[] = [];
  for (const layout of layouts) {
    await chooseLayout(page, layout);
    for (const name of await page.getByRole('tab').allTextContents()) {
      const panel = await showPanel(page, page.getByRole('tab', { name, exact: true }));
      const there = await settledState(panel, `${LAYOUTS[layout]}, ${name}`);
      if (there === 'full') continue;
      const { title, button, enabled } = there;
      expect(enabled, `${name}: ${title}`).toBe(true);
      offers.push({ layout, panel: name, title, button });
    }
  }
  return offers;
}

/** Changes that a user can see: panels in front, empty panels, dialogs, and the running task. */
const visibleState = (page: Page) =>
  page.evaluate(() => {
    const texts = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].map((one) => one.innerText.trim());
    return JSON.stringify([
      texts('[role="tab"][aria-selected="true"]'),
      texts('.empty-state'),
      texts('[role="dialog"], dialog[open]'),
      texts('.run-strip, .run-head'),
    ]);
  });

describe.each([
  ['a beam', null, [0, 1, 2], ['No run yet', 'No runs yet', 'No ledger yet', 'No profile yet']],
  ['an image', image, [0], ['No peaks yet']],
  ['a layer', layer, [0], ['No run yet']],
] as const)('before %s has been run', (_name, scenario, layouts, titles) => {
  it('every empty panel offers working actions that fill it', async () => {
    const { open, page, bench } = await workbench();
    await openScenario(bench, scenario);
    // For a file Chromium shows its own dialog. The page does not change, but this event fires.
    let choosers = 0;
    page.on('filechooser', () => {
      choosers += 1;
    });
    // On a busy page the dialog of an offer may appear late: it is closed before the next click.
    const dialog = page.locator('dialog[open]');
    await page.addLocatorHandler(dialog, () => page.keyboard.press('Escape'));
    const offers = await findOffers(page, layouts);
    expect(offers.map(({ title }) => title)).toEqual(expect.arrayContaining([...titles]));
    // Presses each button once, though several panels show it. Those that start a run fill all panels, so they come
    // last.
    const distinct = [...new Map(offers.map((one) => [one.button, one])).values()];
    const runsLast = distinct.toSorted(
      (a, b) => Number(a.button.startsWith('Run')) - Number(b.button.startsWith('Run')),
    );
    for (const { layout, panel, title, button } of runsLast) {
      await chooseLayout(page, layout);
      const there = await showPanel(page, page.getByRole('tab', { name: panel, exact: true }));
      const empty = there.locator('.empty-state:visible', { hasText: title });
      await empty.getByRole('button', { name: button, exact: true }).first().waitFor();
      const now = async (): Promise<string> => `${await visibleState(page)}, ${choosers} files asked for`;
      const before = await now();
      await empty.getByRole('button', { name: button, exact: true }).first().click();
      await expect.poll(now, { message: `${panel}: ${button}` }).not.toBe(before);
    }
    expect(open.problems).toEqual([]);
    await open.close();
  });
});
