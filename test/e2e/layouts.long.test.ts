/** Layouts in a real browser: keys from the first moment, closed panels, and a damaged storage. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BenchPage } from './bench-page.ts';
import type { OpenPage } from './browser.ts';
import { useWorkbench } from './workbench-page.ts';

const { workbench } = useWorkbench('layouts');

let open: OpenPage;
let bench: BenchPage;

const layout = (name: string) => open.page.getByRole('radio', { name, exact: true });

describe('the layouts', () => {
  beforeEach(async () => {
    ({ open, bench } = await workbench());
  });

  it('hear keys from the first moment that they are drawn', async () => {
    onTestFinished(() => open.close());
    // At the end of the commit that puts the page into the document, before its first picture.
    await open.page.addInitScript(() => {
      const press = { key: '#', code: 'Digit3', altKey: true, shiftKey: true, bubbles: true, cancelable: true };
      new MutationObserver((_, observer) => {
        const app = document.querySelector('.app');
        if (app === null) return;
        observer.disconnect();
        app.dispatchEvent(new KeyboardEvent('keydown', press));
      }).observe(document, { childList: true, subtree: true });
    });
    await open.page.reload();
    await expect.poll(() => layout('Profile').isChecked()).toBe(true);
    expect(open.problems).toEqual([]);
  });

  it('lose a panel by its button, by the Delete key of its tab, and get it back from the menu', async () => {
    await open.page.getByRole('button', { name: 'Close Dose map' }).click();
    await expect.poll(() => bench.panel('Dose map').count()).toBe(0);
    await bench.panel('Lateral profile').click();
    await open.page.keyboard.press('Delete');
    await expect.poll(() => bench.panel('Lateral profile').count()).toBe(0);
    await expect.poll(() => open.page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('tab');
    await open.page.reload();
    await expect.poll(() => bench.panel('Phase space').count()).toBe(1);
    expect(await bench.panel('Dose map').count()).toBe(0);
    await bench.menu('View', /^Dose map/);
    await expect.poll(() => bench.panel('Dose map').getAttribute('aria-selected')).toBe('true');
    await bench.menu('View', 'Reset Simulate layout');
    await expect.poll(() => bench.panel('Lateral profile').count()).toBe(1);
    expect(open.problems).toEqual([]);
  });

  it('broken in storage are reset with a note', async () => {
    await open.page.evaluate(() => localStorage.setItem('braggbench.layout', '{"version":2,"data":{"shown":"paint"}}'));
    await open.page.reload();
    await expect.poll(() => open.page.getByText('The layout settings were reset').count()).toBe(1);
    await expect.poll(() => layout('Simulate').isChecked()).toBe(true);
    expect(open.problems).toEqual([]);
  });
});
