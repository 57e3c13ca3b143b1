/** Accessibility violations of a page, found by axe-core. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { PARTS, partsOf } from './parts.ts';

const source = readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** The rules that look at colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Rules that depend on the whole page: they run on all of it every time. */
const PAGE_RULES = [
  ...['accesskeys', 'aria-hidden-body', 'bypass', 'document-title', 'duplicate-id-aria'],
  ...['heading-order', 'html-has-lang', 'html-lang-valid', 'html-xml-lang-mismatch', 'landmark-banner-is-top-level'],
  ...['landmark-complementary-is-top-level', 'landmark-contentinfo-is-top-level', 'landmark-main-is-top-level'],
  ...['landmark-no-duplicate-banner', 'landmark-no-duplicate-contentinfo', 'landmark-no-duplicate-main'],
  ...['landmark-one-main', 'landmark-unique', 'meta-refresh', 'meta-viewport', 'meta-viewport-large'],
  ...['page-has-heading-one', 'region', 'skip-link'],
];

/** `npm run test:all -- nightly` checks every part in every view. */
const ALL = process.env['BRAGGBENCH_LOOKS'] === 'all';

/** Appearances of parts without violations: by all element rules, and by the colour rules. */
const right = { everything: new Set<string>(), colours: new Set<string>() } as const;
type Rules = keyof typeof right;

type Asked = Readonly<{
  part: string | null;
  only: readonly string[];
  without: readonly string[];
  known: readonly number[];
}>;

/**
 * It runs where it is, once in the page: the package for Playwright opens a second page for each report and takes six
 * times the processor's time.
 */
const faults = (page: Page, asked: Asked): Promise<string[]> =>
  page.evaluate(
    async ({ part, only, without, known, kept }) => {
      const { run, configure } = Reflect.get(globalThis, 'axe') as typeof axe;
      const parts = (Reflect.get(globalThis, kept) ?? []) as readonly Element[];
      const isKnown = new Set(known);
      /** Ancestors of parts that are not known. */
      const open = new Set<Element>();
      for (const [at, part] of parts.entries())
        if (!isKnown.has(at))
          for (let up = part.parentElement; up && !open.has(up); up = up.parentElement) open.add(up);
      // Each element is held against everything that is left out: what is known as a whole is left out as one.
      const exclude: Element[] = [];
      for (const at of known) {
        const part = parts[at];
        if (part && !open.has(part) && !exclude.at(-1)?.contains(part)) exclude.push(part);
      }
      const found = async (where: 'where' | 'whether') => {
        // Selectors and markup of all that is right too are a quarter of the time.
        configure({ noHtml: where === 'whether' });
        const { violations } = await run(
          { include: [part ?? document.documentElement], exclude },
          {
            resultTypes: ['violations'],
            selectors: where === 'where',
            // The styles are all the page's own: nothing is to be fetched before.
            preload: false,
            ...(only.length > 0 && { runOnly: [...only] }),
            rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
          },
        );
        return violations;
      };
      const wrong = await found('whether');
      const placed = wrong.length > 0 ? await found('where') : [];
      // A violation that is gone in the second pass was there in the first.
      return (placed.length > 0 ? placed : wrong).flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target?.join(' ') ?? 'passing'}: ${failureSummary}`),
      );
    },
    { ...asked, kept: PARTS },
  );

/** Asks of the parts of the page that look as none did in which nothing was found. */
async function faultsOfNew(page: Page, rules: Rules): Promise<readonly string[]> {
  const looks = await partsOf(page);
  const known = looks.flatMap((look, at) => (!ALL && right[rules].has(look) ? [at] : []));
  if (known.length === looks.length) return [];
  const [only, without] = rules === 'colours' ? [COLOUR_RULES, []] : [[], PAGE_RULES];
  const found = await faults(page, { part: null, only, without, known });
  // Parts whose appearance has changed by now were not checked as they were listed.
  const still = found.length === 0 ? new Set(await partsOf(page)) : new Set();
  for (const look of looks) if (still.has(look)) right[rules].add(look);
  return found;
}

/** Violations in the page, or in the part that a selector names, by all of axe's rules or by the colour rules. */
export async function accessibilityFaults(
  page: Page,
  part: string | null = null,
  rules: Rules = 'everything',
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  await page.evaluate(() => {
    // Between two themes, or fading in, a colour is nobody's: what ends is at its end.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  });
  const only = rules === 'colours' ? COLOUR_RULES : [];
  if (part !== null) return faults(page, { part, only, without: [], known: [] });
  const ofPage = rules === 'everything' ? await faults(page, { part, only: PAGE_RULES, without: [], known: [] }) : [];
  return [...ofPage, ...(await faultsOfNew(page, rules))];
}
