/**
 * Finds accessibility violations of a page with axe-core. The page is split into parts. A part whose appearance has
 * already been checked without violations is not checked again.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Largest part in elements. Most panels change in few places, so that with small parts, more parts stay unchanged. */
const MAX_ELEMENTS = 40;

/** Global that stores the page's parts for the accessibility check. */
const PARTS = 'braggbenchTestParts';

/**
 * Appearance of every part of the page and of its containers: markup and state, position, ancestors, and overlapping
 * parts. Containers come before their content. The elements stay in the page, under `PARTS`.
 */
export function partsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    async ({ most, kept }) => {
      type PartBox = Readonly<{
        element: Element;
        says: string;
        left: number;
        top: number;
        right: number;
        bottom: number;
      }>;
      const shell = (element: Element): string => (element.cloneNode(false) as Element).outerHTML;
      const active = document.activeElement;
      /** Attributes that refer to an element's name or description elsewhere. */
      const REFERRING = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-activedescendant'];
      const elsewhere = (one: Element): readonly unknown[] =>
        REFERRING.flatMap((name) =>
          (one.getAttribute(name)?.split(' ') ?? []).map((id) => document.getElementById(id)?.textContent),
        );
      const state = (one: Element): string => {
        const labels = one instanceof HTMLInputElement || one instanceof HTMLSelectElement ? (one.labels ?? []) : [];
        const field = one instanceof HTMLInputElement ? [one.value, one.checked] : [];
        const named = [...elsewhere(one), ...[...labels].map((label) => label.textContent)];
        return `${[...named, ...field, one.scrollTop, one.scrollLeft, one === active, one.matches(':hover')]}`;
      };
      /** The box includes content that overflows the element. */
      const box = (element: Element, inside: readonly Element[], says: string): PartBox => {
        const rects = [element, ...inside].map((one) => one.getBoundingClientRect());
        const far = (side: 'left' | 'top' | 'right' | 'bottom', of: 'min' | 'max'): number =>
          Math[of](...rects.map((rect) => rect[side]));
        const [left, top, right, bottom] = [
          far('left', 'min'),
          far('top', 'min'),
          far('right', 'max'),
          far('bottom', 'max'),
        ];
        return { element, says: `${[left, top, right, bottom]} ${says}`, left, top, right, bottom };
      };
      const parts: (PartBox & { readonly within: string })[] = [];
      const walk = (element: Element, within: string): void => {
        const inside = [...element.querySelectorAll('*')];
        const own = shell(element);
        // A drawing that is exposed as a single image has no parts for screen readers.
        if (inside.length < most || element.matches('svg[role="img"]')) {
          const says = element.outerHTML + [element, ...inside].map(state).join(';');
          parts.push({ ...box(element, inside, says), within });
          return;
        }
        const text = [...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? node.nodeValue : ''));
        parts.push({ ...box(element, [], own + text.join('') + state(element)), within });
        for (const child of element.children) walk(child, within + own);
      };
      walk(document.documentElement, '');
      const looks = parts.map((part) => {
        const there = parts.filter(
          (other) =>
            other.right > part.left &&
            part.right > other.left &&
            other.bottom > part.top &&
            part.bottom > other.top &&
            !part.element.contains(other.element) &&
            !other.element.contains(part.element),
        );
        return [part.within, part.says, ...there.map(({ says }) => says)].join('\n');
      });
      Reflect.set(
        globalThis,
        kept,
        parts.map(({ element }) => element),
      );
      const rules = [...document.styleSheets].map(({ cssRules }) => cssRules.length);
      const everywhere = `${innerWidth} ${innerHeight} ${rules}`;
      return Promise.all(
        looks.map(async (look) => {
          const bytes = new TextEncoder().encode(`${everywhere} ${look}`);
          return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join();
        }),
      );
    },
    { most: MAX_ELEMENTS, kept: PARTS },
  );
}

const source = readFileSync(path.resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** axe's rules about colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Rules that depend on the whole page. They are always run on the whole page. */
const PAGE_RULES = [
  ...['accesskeys', 'aria-hidden-body', 'bypass', 'document-title', 'duplicate-id-aria'],
  ...['heading-order', 'html-has-lang', 'html-lang-valid', 'html-xml-lang-mismatch', 'landmark-banner-is-top-level'],
  ...['landmark-complementary-is-top-level', 'landmark-contentinfo-is-top-level', 'landmark-main-is-top-level'],
  ...['landmark-no-duplicate-banner', 'landmark-no-duplicate-contentinfo', 'landmark-no-duplicate-main'],
  ...['landmark-one-main', 'landmark-unique', 'meta-refresh', 'meta-viewport', 'meta-viewport-large'],
  ...['page-has-heading-one', 'region', 'skip-link'],
];

/** `npm run test:all -- nightly` checks every part in every appearance. */
const CHECK_ALL = process.env['BRAGGBENCH_LOOKS'] === 'all';

/** Appearances of parts in which no violation was found: by all element rules, or by the colour rules only. */
const isCorrect = { everything: new Set<string>(), colours: new Set<string>() } as const;
type Rules = keyof typeof isCorrect;

type CheckRequest = Readonly<{
  part: string | null;
  only: readonly string[];
  without: readonly string[];
  known: readonly number[];
}>;

/**
 * Runs axe directly in the page: its package for Playwright opens a second page for each report, and needs six times
 * the processor time.
 */
const findViolations = (page: Page, requested: CheckRequest): Promise<string[]> =>
  page.evaluate(
    async ({ part, only, without, known, kept }) => {
      const { run, configure } = Reflect.get(globalThis, 'axe') as typeof axe;
      const parts = (Reflect.get(globalThis, kept) ?? []) as readonly Element[];
      const isKnown = new Set(known);
      /** Ancestors of parts that still have to be checked. */
      const open = new Set<Element>();
      for (const [at, part] of parts.entries())
        if (!isKnown.has(at))
          for (let up = part.parentElement; up && !open.has(up); up = up.parentElement) open.add(up);
      // axe compares each element with all excluded ones, so a subtree without unchecked parts is excluded as one
      // element.
      const exclude: Element[] = [];
      for (const at of known) {
        const part = parts[at];
        if (part && !open.has(part) && !exclude.at(-1)?.contains(part)) exclude.push(part);
      }
      const found = async (where: 'where' | 'whether') => {
        // Omit the markup, because selectors and markup of all elements without violations would need a quarter of the
        // time.
        configure({ noHtml: where === 'whether' });
        const { violations } = await run(
          { include: [part ?? document.documentElement], exclude },
          {
            resultTypes: ['violations'],
            selectors: where === 'where',
            // All styles are the page's own: nothing needs to be fetched.
            preload: false,
            ...(only.length > 0 && { runOnly: [...only] }),
            rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
          },
        );
        return violations;
      };
      const wrong = await found('whether');
      const placed = wrong.length > 0 ? await found('where') : [];
      // If the second pass finds no violation, use the result of the first pass.
      return (placed.length > 0 ? placed : wrong).flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target?.join(' ') ?? 'passing'}: ${failureSummary}`),
      );
    },
    { ...requested, kept: PARTS },
  );

/** Checks the parts of the page whose appearance has not yet been found free of violations. */
async function newViolations(page: Page, rules: Rules): Promise<readonly string[]> {
  const looks = await partsOf(page);
  const known = looks.flatMap((look, at) => (!CHECK_ALL && isCorrect[rules].has(look) ? [at] : []));
  if (known.length === looks.length) return [];
  const [only, without] = rules === 'colours' ? [COLOUR_RULES, []] : [[], PAGE_RULES];
  const found = await findViolations(page, { part: null, only, without, known });
  // Parts whose appearance changed during the check are not recorded, because axe may have seen another appearance.
  const still = found.length === 0 ? new Set(await partsOf(page)) : new Set();
  for (const look of looks) if (still.has(look)) isCorrect[rules].add(look);
  return found;
}

/** Violations in the page, or in the part that a selector names, by all of axe's rules or by the colour rules. */
export async function accessibilityViolations(
  page: Page,
  part: string | null = null,
  rules: Rules = 'everything',
): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  await page.evaluate(() => {
    // Finish all animations, because colours are intermediate values during a fade or a change of theme.
    for (const animation of document.getAnimations())
      if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish();
  });
  const only = rules === 'colours' ? COLOUR_RULES : [];
  if (part !== null) return findViolations(page, { part, only, without: [], known: [] });
  const ofPage =
    rules === 'everything' ? await findViolations(page, { part, only: PAGE_RULES, without: [], known: [] }) : [];
  return [...ofPage, ...(await newViolations(page, rules))];
}
