/** What axe-core finds wrong with a page. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** The rules that look at colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Faults of the page, or of what a selector names, by all of axe's rules. It runs where it is, once in the page: the
 * package for Playwright opens a second page for each report and takes six times the processor's time.
 */
export async function accessibilityFaults(
  page: Page,
  part?: string,
  rules: 'everything' | 'colours' = 'everything',
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  return page.evaluate(
    async ([selector, only]) => {
      // Between two themes, or fading in, a colour is nobody's: what ends is at its end.
      for (const animation of document.getAnimations())
        if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
      const { run, configure } = Reflect.get(globalThis, 'axe') as typeof axe;
      const found = async (where: 'where' | 'whether') => {
        // Selectors and markup of all that is right too are a quarter of the time.
        configure({ noHtml: where === 'whether' });
        const { violations } = await run(selector ?? document, {
          resultTypes: ['violations'],
          selectors: where === 'where',
          // The styles are all the page's own: nothing is to be fetched before.
          preload: false,
          ...(only.length > 0 && { runOnly: only }),
        });
        return violations;
      };
      const wrong = await found('whether');
      const placed = wrong.length > 0 ? await found('where') : [];
      // What is there no more at the second look was there at the first.
      return (placed.length > 0 ? placed : wrong).flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target?.join(' ') ?? 'passing'}: ${failureSummary}`),
      );
    },
    [part, rules === 'colours' ? COLOUR_RULES : []] as const,
  );
}
