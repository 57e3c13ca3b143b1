import { describe, expect, it } from 'vitest';
import { frameCosts, TRACE_CATEGORIES } from '../bench/main-thread.ts';
import {
  answersOf,
  drag,
  handleOf,
  liveSwitch,
  note,
  openWithLive,
  openWorkbench,
  picture,
  r80,
  scenario,
  unitOf,
  useLive,
} from './live-page.ts';

useLive();

describe('Live mode', () => {
  it('follows a region border dragged on the map, and the form shows the new value', async () => {
    const opened = await openWithLive();
    const { page, bench, open } = opened;
    const before = await r80(opened);
    const box = await bench.map.boundingBox();
    if (box === null) throw new Error('the map has no place');
    // Moves the pointer along the middle of the map until its shape shows that it is over a border.
    const y = box.y + box.height * 0.4;
    let at = 0;
    for (let px = box.x + 40; px < box.x + box.width; px += 2) {
      await page.mouse.move(px, y);
      if ((await bench.map.evaluate((canvas) => (canvas as HTMLElement).style.cursor)) === 'ew-resize') at = px;
      else if (at > 0) break;
    }
    expect(at).toBeGreaterThan(0);
    const firstBorder = bench.field('Depth, start');
    const start = Number(await firstBorder.inputValue());
    await drag(opened, [at - 4, y], [at + 56, y]);
    await page.mouse.up();
    await expect.poll(async () => Number(await firstBorder.inputValue())).toBeGreaterThan(start + 0.5);
    // With less bone, the beam penetrates farther.
    await expect.poll(() => r80(opened)).toBeGreaterThan(before + 0.3);
    await page.getByRole('banner').getByRole('button', { name: /^Undo/ }).click();
    await expect.poll(async () => Number(await firstBorder.inputValue())).toBe(start);
    await expect.poll(() => r80(opened)).toBeCloseTo(before, 2);
    expect(open.problems).toEqual([]);
  });

  it('draws successive answers during a drag, with frames in between', async () => {
    const opened = await openWithLive();
    const { page, open } = opened;
    const browser = page.context().browser();
    if (browser === null) throw new Error('there is no browser');
    const answers = await answersOf(opened);
    const [x, y] = await handleOf(unitOf(opened, 'Energy'));
    await browser.startTracing(page, { categories: TRACE_CATEGORIES, screenshots: false });
    await drag(opened, [x, y], [x + 40, y], 40);
    await page.mouse.move(x, y, { steps: 40 });
    const costs = frameCosts((await browser.stopTracing()).toString('utf8'));
    const drawn = await answers.evaluate(({ count }) => count);
    await page.mouse.up();
    expect(drawn).toBeGreaterThan(5);
    expect(costs.total.length).toBeGreaterThan(drawn);
    expect(open.problems).toEqual([]);
  });

  it('is compared with another run during a drag, by difference and by gamma index', async () => {
    const opened = await openWithLive();
    const { page, bench, open } = opened;
    await bench.runToEnd();
    await liveSwitch(opened).click();
    await expect.poll(() => note(opened).textContent()).toContain('At rest');
    await page
      .getByRole('button', { name: /^Display/ })
      .first()
      .click();
    await page.getByLabel('Dose to compare with').selectOption({ index: 1 });
    const by = page.getByRole('radiogroup', { name: 'Comparison of the doses' });
    await by.getByRole('radio', { name: 'gamma' }).check();
    await page.keyboard.press('Escape');
    const against = page.getByTestId('dose-against');
    const passed = async (): Promise<number> =>
      Number(/: ([\d.]+) % of/.exec((await against.textContent()) ?? '')?.[1] ?? Number.NaN);
    await expect.poll(passed).toBe(100);
    const [x, y] = await handleOf(unitOf(opened, 'Energy'));
    await drag(opened, [x, y], [x + 20, y], 10);
    await expect.poll(passed).toBeLessThan(90);
    await page.mouse.move(x, y, { steps: 10 });
    await page.mouse.up();
    await expect.poll(passed).toBe(100);
    // The difference is zero at the same energy, and large at another.
    await page
      .getByRole('button', { name: /^Display/ })
      .first()
      .click();
    await by.getByRole('radio', { name: 'difference' }).check();
    await page.keyboard.press('Escape');
    await expect.poll(() => against.textContent()).toMatch(/^Less Slab/);
    await bench.drawn();
    const same = await picture(bench.map);
    await drag(opened, [x, y], [x + 20, y], 10);
    await expect.poll(() => picture(bench.map)).not.toBe(same);
    await page.mouse.up();
    await expect.poll(() => note(opened).textContent()).toContain('At rest');
    await open.screenshot('live-against');
    expect(open.problems).toEqual([]);
  });

  it("is separate for each page: a second page gets its own answers, and neither page lists the other's run", async () => {
    const [one, two] = [await openWithLive(), await openWithLive()];
    await two.bench.field('Energy').fill('70');
    await expect.poll(() => r80(two)).toBeGreaterThan(34);
    await expect.poll(() => note(two).textContent()).toContain('At rest');
    const before = await r80(one);
    expect(before).toBeLessThan(28);
    await one.bench.field('Energy').fill('66');
    await expect.poll(() => r80(one)).toBeGreaterThan(before + 4);
    const entries = [];
    for (const { bench, page, open } of [one, two]) {
      await bench.panel('Runs').click();
      await page.locator('.runs-panel').waitFor();
      entries.push(await page.locator('.run-entry__headline').allTextContents());
      expect(open.problems).toEqual([]);
    }
    // Only the runs of earlier tests are listed, none from Live.
    expect(entries[0]).toEqual(entries[1]);
    await two.bench.runToEnd();
    await expect.poll(() => one.page.locator('.run-entry').count()).toBe((entries[0]?.length ?? 0) + 1);
    await expect.poll(() => liveSwitch(one).getAttribute('aria-pressed')).toBe('true');
  });

  it('is switched and operated by keyboard, and accepts another material', async () => {
    const live = await openWorkbench();
    const { page, bench, open } = live;
    await bench.drop('slab.json', JSON.stringify(scenario));
    await expect.poll(() => bench.title.textContent()).toContain('Slab');
    await page.keyboard.press('Alt+l');
    await expect.poll(() => note(live).textContent()).toContain('At rest');
    const before = await r80(live);
    await bench.field('Energy').focus();
    for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowUp');
    await expect.poll(() => bench.field('Energy').inputValue()).toBe('65');
    await expect.poll(() => r80(live)).toBeGreaterThan(before + 4);
    await expect.poll(() => note(live).textContent()).toContain('At rest');
    const water = await r80(live);
    // Changes the region's range: aluminium stops protons sooner than bone.
    await page.locator('[data-path="geometry.regions[0].material"] select').selectOption('aluminium');
    await expect.poll(() => r80(live)).toBeLessThan(water - 1);
    await page.keyboard.press('Alt+l');
    await expect.poll(() => liveSwitch(live).getAttribute('aria-pressed')).toBe('false');
    expect(open.problems).toEqual([]);
  });
});
