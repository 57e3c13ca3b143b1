/** Parts of the results: a heading, what it means, and on what it was measured. */
import type { ReactElement, ReactNode } from 'react';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly provenance: string;
  readonly children: ReactNode;
  readonly menu?: ReactNode;
}

export function Section({ id, title, text, provenance, children, menu = null }: SectionProps): ReactElement {
  return (
    <section className="results__section" aria-label={title} data-testid={`results-${id}`}>
      <div className="results__head">
        <h2>{title}</h2>
        {menu}
      </div>
      <p className="results__text">{text}</p>
      {children}
      <p className="results__provenance">{provenance}</p>
    </section>
  );
}

export function Scroll({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="results__scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
