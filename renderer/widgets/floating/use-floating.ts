/** A floating element next to a button, positioned in the window while open. A press elsewhere closes it. */
import { type RefObject, useEffectEvent, useLayoutEffect } from 'react';

/** Gap to the button and to the window's edge in CSS pixels. */
const GAP = 3;

/**
 * Positions `floating` above or below the button, on the side with more room. The position is fixed to the window, so
 * that scrolling panels do not clip the element.
 */
function positionFloating(floating: HTMLElement, button: HTMLElement, align: 'start' | 'end'): void {
  const at = button.getBoundingClientRect();
  const below = innerHeight - at.bottom - 2 * GAP;
  const above = at.top - 2 * GAP;
  const up = floating.offsetHeight > below && above > below;
  floating.style.maxHeight = `${up ? above : below}px`;
  floating.style.top = up ? 'auto' : `${at.bottom + GAP}px`;
  floating.style.bottom = up ? `${innerHeight - at.top + GAP}px` : 'auto';
  const left = align === 'end' ? at.right - floating.offsetWidth : at.left;
  floating.style.left = `${Math.max(GAP, Math.min(left, innerWidth - floating.offsetWidth - GAP))}px`;
}

interface Floating {
  readonly open: boolean;
  /** Element that contains both the button and the floating element; a press outside of it closes the latter. */
  readonly root: RefObject<HTMLElement | null>;
  readonly button: RefObject<HTMLElement | null>;
  readonly floating: RefObject<HTMLElement | null>;
  readonly align: 'start' | 'end';
  /** Focuses the floating element after it has been positioned. */
  readonly focus: (floating: HTMLElement) => void;
  readonly dismiss: () => void;
}

export function useFloating({ open, root, button, floating, align, ...owner }: Floating): void {
  const focus = useEffectEvent(owner.focus);
  const dismiss = useEffectEvent(owner.dismiss);
  useLayoutEffect(() => {
    const [shown, beside] = [floating.current, button.current];
    if (!open || shown === null || beside === null) return;
    const follow = (): void => positionFloating(shown, beside, align);
    follow();
    focus(shown);
    const stop = new AbortController();
    const options = { capture: true, signal: stop.signal };
    const outside = (event: Event): void => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) dismiss();
    };
    window.addEventListener('pointerdown', outside, options);
    // Follow the button when its container scrolls.
    window.addEventListener('scroll', follow, options);
    window.addEventListener('resize', follow, options);
    // Reposition if the content grows while open.
    const grown = new ResizeObserver(follow);
    grown.observe(shown);
    return () => {
      stop.abort();
      grown.disconnect();
    };
  }, [open, align, root, button, floating]);
}
