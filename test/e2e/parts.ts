/** The page in parts, and how each looks: what looks as it did when it was found right need not be looked at again. */
import type { Page } from 'playwright-core';

/** A panel changes in a few places: what is small is known again where what is large is not. */
const MOST_ELEMENTS = 40;

/** Global that stores the page's parts for the accessibility check. */
export const PARTS = 'braggbenchTestParts';

/**
 * Appearance of every part of the page and of its containers: markup and state, position, ancestors, and overlapping
 * parts. Containers come before their content. The elements stay in the page, under `PARTS`.
 */
export function partsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(
    async ({ most, kept }) => {
      type Box = Readonly<{ element: Element; says: string; left: number; top: number; right: number; bottom: number }>;
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
      /** With all that it shows beyond its own edges. */
      const box = (element: Element, inside: readonly Element[], says: string): Box => {
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
      const parts: (Box & { readonly within: string })[] = [];
      const walk = (element: Element, within: string): void => {
        const inside = [...element.querySelectorAll('*')];
        const own = shell(element);
        // A drawing exposed as one image has no parts for screen readers.
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
    { most: MOST_ELEMENTS, kept: PARTS },
  );
}
