/** The workbench at the sizes that it is used in: accessible, and nothing cut off. */
import { expect, it } from 'vitest';
import { beforeDuringAndAfter, everyPanel, quick } from './appearance-page.ts';
import { looks } from './looks.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('looks');

it('is accessible and whole in a usual and in the smallest window, before, during a question, and after a run', async () => {
  const smallest = looks.filter(({ name }) => name === '720-light');
  expect(smallest).toHaveLength(1);
  await beforeDuringAndAfter(await workbench(), [looks[0], ...smallest]);
});

it('every panel is accessible', async () => everyPanel(await workbench(), ['light']));

it('a chart is drawn in as little room as there is', async () => {
  const { open, page, bench } = await workbench({});
  await bench.drop('half-slab.json', quick);
  await expect.poll(() => bench.title.textContent()).toContain('Half slab');
  await bench.run.click();
  await bench.r80.waitFor();
  const plot = page.locator('.chart-plot__plot').first();
  for (const height of [60, 40, 30, 20, 10]) {
    for (const width of [400, 60]) {
      await plot.evaluate(
        ({ parentElement: host }, size) => Object.assign(host?.style ?? {}, { flex: 'none', ...size }),
        { width: `${width}px`, height: `${height}px` },
      );
      const drawn = plot.locator('svg').first();
      await expect.poll(() => drawn.getAttribute('width')).toBe(String(width));
      await expect.poll(() => drawn.getAttribute('height')).toBe(String(height));
    }
  }
  expect(open.problems).toEqual([]);
});
