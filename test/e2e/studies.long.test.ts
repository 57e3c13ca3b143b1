/**
 * Tables of studies, grouped and transposed; two points as runs; tuning of kernels; and several charts of many points,
 * one after the other.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { wideRow, writeWideStudy } from '../wide-study.ts';
import { checkVisibility } from './appearance-page.ts';
import { enlargeStudies, solveEnergies } from './compare-page.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench, home } = useWorkbench('studies');

const WIDE_STUDY_POINTS = 2400;
const wide = Array.from({ length: WIDE_STUDY_POINTS }, (_, i) => wideRow(i));
/** Smallest and largest value of a column over the study's points. */
const endsOf = (name: 'n' | 'time_s' | 'r80_mm') =>
  [Math.min, Math.max].map((end) => wide.reduce((found, row) => end(found, row[name]), wide[0]?.[name] ?? 0));

it('a study groups and transposes rows, saves views, and compares two points as runs', async () => {
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  await solveEnergies({ open, page, bench });
  const rows = page.getByTestId('study-rows');
  // The advice, and the reasons for it.
  const said = page.getByTestId('study-advice');
  await expect.poll(() => said.count()).toBe(0);
  await page.getByLabel('Group by').selectOption('solver.precision');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('3');
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('2 groups of 38 of 38 rows');
  expect(await rows.locator('tbody tr').first().textContent()).toContain('20…29');
  await checkVisibility(open, 'studies-groups');
  // The view is saved with the study, so that a new page shows it.
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name of the view').fill('by precision');
  await page.getByLabel('Name of the view').press('Enter');
  await expect.poll(() => page.getByLabel('Saved view').inputValue()).toBe('by precision');
  // Shows the rows of a group.
  await rows.getByRole('button', { name: '19', exact: true }).first().click();
  await expect.poll(() => page.getByTestId('study-matching').textContent()).toBe('19 of 38 rows');
  expect(await page.getByLabel('Filter').inputValue()).toBe('solver.precision == "fp32"');
  await page.getByRole('checkbox', { name: 'Transpose' }).check();
  await expect.poll(() => rows.getAttribute('aria-colcount')).toBe('20');
  await expect.poll(() => rows.getByRole('rowheader', { name: /beam\.energy_MeV/ }).count()).toBe(1);
  await checkVisibility(open, 'studies-transposed');
  await page.reload();
  await page.getByRole('button', { name: 'Enlarge Studies' }).click();
  await page.getByLabel('Saved view').selectOption('by precision');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('3');
  await page.getByLabel('Group by').selectOption('no groups');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe('39');
  // Selects two points.
  await rows.locator('tbody').getByRole('checkbox').nth(0).check();
  await rows.locator('tbody').getByRole('checkbox').nth(3).check();
  const difference = page.getByTestId('study-difference');
  await expect.poll(() => difference.getByRole('row', { name: /^r80_mm/ }).count()).toBe(1);
  await checkVisibility(open, 'studies-two-points');
  await page.getByRole('button', { name: 'Run both and compare' }).click();
  await expect.poll(() => bench.panel('Compare').getAttribute('aria-selected')).toBe('true');
  await expect.poll(() => page.getByText(/beam\.energy_MeV = 20/).count()).toBeGreaterThan(0);
  await bench.panel('Studies').click();
  // Opens one of the two points as a run, and as a scenario.
  await rows.locator('tbody').getByRole('checkbox').nth(0).click();
  await page.getByRole('button', { name: 'Open as a run' }).first().click();
  await expect.poll(() => bench.panel('Runs').getAttribute('aria-selected')).toBe('true');
  await open.close();
});

it('the kernel in the form can be tuned', async () => {
  const { open, page, bench } = await workbench();
  const scenario = { kind: 'micro', version: 1, problem: { kind: 'gemm', m: 96, n: 96, k: 96 } };
  await bench.drop('product.json', JSON.stringify(scenario));
  await enlargeStudies({ page, bench });
  await page.getByRole('button', { name: 'New study' }).click();
  await page.getByRole('radio', { name: /Tune this kernel/ }).check();
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect.poll(() => page.getByTestId('study-plan').textContent()).toMatch(/^\d+ points/);
  await checkVisibility(open, 'studies-questions');
  await open.close();
});

it('a chart with many points shows nothing of the previous chart', async () => {
  await writeWideStudy(path.join(home, 'library', 'studies', 'wide.study'), WIDE_STUDY_POINTS);
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  await page.getByLabel('Study', { exact: true }).selectOption('wide');
  const drawnAs = (name: string) => page.getByRole('radio', { name, exact: true }).check();
  await drawnAs('Plot');
  await drawnAs('Points');
  await page.getByLabel('Coloured by').selectOption({ label: 'one colour' });
  const plot = page.locator('.studies__plot .js-plotly-plot');
  const chart = (name: RegExp) => expect.poll(() => page.getByRole('img', { name }).count()).toBe(1);
  /** Ranges of the plot in the units of Plotly's axes: decades on a logarithmic axis. */
  const shown = () =>
    plot.evaluate(
      (it, { n, time_s, r80_mm }) => {
        const { xaxis, yaxis, dragmode } = Reflect.get(it, '_fullLayout');
        const whole = (axis: { type: string; range: number[] }, values: number[]): boolean => {
          const [from, to] = axis.range.map((end) => (axis.type === 'log' ? 10 ** end : end));
          // A logarithmic axis cannot show zero.
          return values.every(
            (value) => (axis.type === 'log' && value <= 0) || (value > (from ?? value) && value < (to ?? value)),
          );
        };
        const width = xaxis.range[1] - xaxis.range[0];
        const across = xaxis.title.text.startsWith('time_s') ? time_s : n;
        const dots = it.querySelector<HTMLElement>('.chart-plot__dots')?.dataset['dots'];
        return {
          dots,
          dragmode,
          width,
          whole: whole(xaxis, across) && whole(yaxis, r80_mm),
          axes: [xaxis.type, yaxis.type],
        };
      },
      { n: endsOf('n'), time_s: endsOf('time_s'), r80_mm: endsOf('r80_mm') },
    );
  const rest = { dots: String(WIDE_STUDY_POINTS), dragmode: 'zoom', whole: true };
  const placed = async (share: number): Promise<readonly [number, number]> => {
    const box = await plot.locator('.nsewdrag').boundingBox();
    if (box === null) throw new Error('no plot');
    return [box.x + box.width * share, box.y + box.height * share];
  };
  const dragged = async (from: number, to: number): Promise<void> => {
    const [start, end] = [await placed(from), await placed(to)];
    await page.mouse.move(...start);
    await page.mouse.down();
    await page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, { steps: 3 });
    await page.mouse.move(...end, { steps: 3 });
    await page.mouse.up();
  };
  await chart(/^r80_mm over problem.n$/);
  await expect.poll(shown).toMatchObject({ ...rest, axes: ['linear', 'linear'] });
  const { width } = await shown();
  await dragged(0.3, 0.6);
  await expect.poll(shown).toMatchObject({ whole: false });
  expect((await shown()).width).toBeCloseTo(width * 0.3, 0);
  const old = await plot.elementHandle();
  await drawnAs('Heat map');
  await expect.poll(() => plot.locator('.heatmaplayer image').count()).toBe(1);
  // The old plot has been removed from the document, and its data has been released.
  const kept = () => old?.evaluate((it) => [Reflect.get(it, 'data'), it.isConnected]);
  await expect.poll(kept).toEqual([undefined, false]);
  await drawnAs('Pareto');
  await chart(/^r80_mm over time_s$/);
  await expect.poll(shown).toMatchObject({ ...rest, axes: ['linear', 'linear'] });
  expect(await plot.locator('.zoomlayer > *, .selectionlayer > *, .hoverlayer > *').count()).toBe(0);
  // The point with the longest time is alone at the right edge.
  const longest = wide.reduce((a, b) => (a.time_s > b.time_s ? a : b));
  const place = () =>
    plot.evaluate((it, { time_s, r80_mm }) => {
      const { xaxis, yaxis } = Reflect.get(it, '_fullLayout');
      const { left, top } = it.getBoundingClientRect();
      return [left + xaxis._offset + xaxis.c2p(time_s), top + yaxis._offset + yaxis.c2p(r80_mm)] as const;
    }, longest);
  const told = plot.locator('.chart-plot__told .hovertext');
  const pointed = async (): Promise<void> => {
    await page.mouse.move(5, 5);
    await expect.poll(() => told.count()).toBe(0);
    await page.mouse.move(...(await place()));
    await expect
      .poll(() => told.allTextContents())
      .toEqual([expect.stringContaining(`at ${Number(longest.time_s.toPrecision(4))} s`)]);
  };
  await pointed();
  await page.getByLabel('log across').check();
  await page.getByLabel('log up').check();
  await expect.poll(shown).toMatchObject({ ...rest, axes: ['log', 'log'] });
  await pointed();
  // The exported CSV must contain every point of the study.
  const written = async (format: string): Promise<string> => {
    await page.getByRole('button', { name: 'Export the plot' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: format }).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  const numbers = (await written('CSV')).trim().split('\n');
  expect(numbers.filter((line) => /^[\d.]/.test(line)).length).toBeGreaterThanOrEqual(WIDE_STUDY_POINTS);
  expect(numbers.filter((line) => line.includes(`${longest.time_s}`))).not.toEqual([]);
  // Parse the file in a separate page, because the workbench's style policy also applies to documents that its page
  // parses.
  const sheet = await page.context().newPage();
  const rightmost = await sheet.evaluate(
    async (text) => {
      const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
      for (const other of root.querySelectorAll(':not(image):not(:has(image))')) other.remove();
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(root.outerHTML)}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const { data = [] } = context?.getImageData(0, 0, image.width, image.height) ?? {};
      let right = -1;
      for (let i = 3; i < data.length; i += 4)
        if ((data[i] ?? 0) > 0) right = Math.max(right, ((i - 3) / 4) % image.width);
      return right;
    },
    await written('SVG'),
  );
  await sheet.close();
  const inPlot = await plot.evaluate((it, { time_s }) => {
    const { xaxis } = Reflect.get(it, '_fullLayout');
    return xaxis._offset + xaxis.c2p(time_s);
  }, longest);
  // The exported picture has a margin of 10 pixels around the plot, and a point has a size.
  expect(Math.abs(rightmost - inPlot - 10)).toBeLessThan(5);
  const decades = (await shown()).width;
  await dragged(0.4, 0.995);
  await expect.poll(shown).toMatchObject({ whole: false });
  expect((await shown()).width).toBeLessThan(decades * 0.65);
  // On a loaded machine two clicks may be too slow to count as a double click.
  const reset = async () => {
    await page.mouse.dblclick(...(await placed(0.03)));
    return shown();
  };
  await expect.poll(reset, { interval: 1000 }).toMatchObject({ ...rest, axes: ['log', 'log'] });
  await pointed();
  await page.mouse.click(...(await place()));
  const chosen = page.getByRole('region', { name: 'Chosen points' }).locator('strong');
  await expect
    .poll(() => chosen.evaluateAll((list) => list.map((it) => it.getAttribute('title'))))
    .toEqual([longest.id]);
  await drawnAs('Table');
  await expect.poll(() => plot.count()).toBe(0);
  expect(open.problems).toEqual([]);
  await open.close();
});

it('the library packs selected files for a colleague, and imports a received project', async () => {
  const { open, page, bench } = await workbench();
  await bench.panel('Library').click();
  const dialog = page.getByRole('dialog', { name: 'Pack for a colleague' });
  const begin = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Pack for a colleague…' }).click();
    await dialog.getByRole('checkbox', { name: /38 points/ }).check();
  };
  await begin();
  await checkVisibility(open, 'project-pack');
  // A new arrangement of panels closes the dialog, so it is opened again.
  if ((await dialog.count()) === 0) await begin();
  await dialog.getByLabel('Name of the project').fill('for you');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Pack', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('for you.braggbench');
  await bench.drop('for you.braggbench', readFileSync(await download.path()), 'application/zip');
  await expect.poll(() => page.getByText('Unpacked for you into the library').count()).toBe(1);
  await expect.poll(() => page.getByText(/1 scenario.*already existed/).count()).toBe(1);
  await open.close();
});

it('the page configures a cluster, reports configuration errors, and offers the cluster as a target for studies', async () => {
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  const another = page.getByRole('button', { name: 'New study' });
  await another
    .or(page.getByRole('button', { name: 'Plan', exact: true }))
    .first()
    .waitFor();
  const where = page.getByLabel('Where it is solved');
  // The lists of studies and targets load shortly after the panel.
  await expect
    .poll(async () => {
      if (await another.isVisible()) await another.click();
      return where.locator('option').allTextContents();
    })
    .toEqual(['this machine']);
  await page.getByRole('button', { name: 'Clusters…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Clusters' });
  const says = page.getByTestId('cluster-says');
  await dialog.getByLabel('Name', { exact: true }).fill('institute');
  await dialog.getByLabel('Login host').fill('-oProxyCommand=x');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => says.textContent()).toMatch(/^The login host is not a valid ssh host/);
  await dialog.getByLabel('Login host').fill('');
  await dialog.getByLabel('Braggbench there').fill('no-such-braggbench');
  await dialog.getByLabel('Folder').fill(path.join(home, 'cluster'));
  await dialog.getByRole('button', { name: 'Try it' }).click();
  await expect.poll(() => says.textContent()).toMatch(/^institute: no-such-braggbench was not found there/);
  await checkVisibility(open, 'studies-clusters');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => says.textContent()).toBe('institute was saved.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await where.selectOption('institute');
  await checkVisibility(open, 'studies-where');
  await open.close();
});

it('rows scroll into view when fewer match, and every plot draws many points', async () => {
  const count = 2400;
  await writeWideStudy(path.join(home, 'library', 'studies', 'wide.study'), count);
  const { open, page, bench } = await workbench();
  await enlargeStudies({ page, bench });
  await page.getByLabel('Study', { exact: true }).selectOption('wide');
  const rows = page.getByTestId('study-rows');
  await expect.poll(() => rows.getAttribute('aria-rowcount')).toBe(String(count + 1));
  const box = page.getByRole('region', { name: 'Results of wide' });
  await box.evaluate((it) => it.scrollTo({ top: it.scrollHeight }));
  await expect.poll(() => rows.locator(`tr[aria-rowindex="${count + 1}"]`).count()).toBe(1);
  await page.getByLabel('Group by').selectOption('solver.variant');
  await page.waitForSelector('[data-testid="study-rows"][aria-rowcount="5"]');
  expect(await box.evaluate(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)).toBe(true);
  await expect.poll(() => rows.locator('tbody tr[aria-rowindex]').count()).toBe(4);
  await page.getByLabel('Group by').selectOption('no groups');
  const drawnAs = (name: string) => page.getByRole('radio', { name, exact: true }).check();
  // Columns that are still loading are not reported as missing.
  await page.evaluate(() => {
    const said = new Set<string>();
    Reflect.set(globalThis, 'said', said);
    const look = (): void => {
      for (const title of document.querySelectorAll('.studies__plot .empty-state__title')) said.add(title.textContent);
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
  });
  await drawnAs('Plot');
  await drawnAs('Points');
  await page.getByLabel('Coloured by').selectOption({ label: 'one colour' });
  const canvas = page.locator('.studies__plot canvas.chart-plot__dots');
  await expect.poll(() => canvas.getAttribute('data-dots')).toBe(String(count));
  expect(await page.evaluate(() => [...Reflect.get(globalThis, 'said')])).toEqual(['Reading the columns']);
  const pixels = () => canvas.evaluate((it) => Reflect.get(it, 'width') / it.getBoundingClientRect().width);
  await expect.poll(pixels).toBeCloseTo(1, 2);
  await drawnAs('Heat map');
  await expect.poll(() => canvas.count()).toBe(0);
  await drawnAs('Pareto');
  await expect.poll(() => canvas.getAttribute('data-dots')).toBe(String(count));
  // In this chart, points are hovered and clicked.
  await drawnAs('Points');
  const plot = page.locator('.studies__plot .js-plotly-plot');
  const last = wideRow(count - 1);
  const at = () =>
    plot.evaluate((it, { n, r80_mm }) => {
      const { xaxis, yaxis } = Reflect.get(it, '_fullLayout');
      const { left, top } = it.getBoundingClientRect();
      return [left + xaxis._offset + xaxis.c2p(n), top + yaxis._offset + yaxis.c2p(r80_mm)] as const;
    }, last);
  await expect.poll(() => page.getByRole('img', { name: /^r80_mm over / }).count()).toBe(1);
  await page.mouse.move(...(await at()));
  await expect.poll(() => plot.locator('.chart-plot__told .hovertext').count()).toBe(1);
  await page.mouse.click(...(await at()));
  await expect.poll(() => page.getByRole('button', { name: 'Open its scenario' }).count()).toBe(1);
  await open.close();
});
