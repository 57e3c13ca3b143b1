/** The examples under the questions that they answer. */
import { Fragment, type ReactElement } from 'react';
import type { LibraryItem } from '../../../electron/contract/library.ts';
import { Beginnings } from './beginnings.tsx';
import { grouped } from './examples.ts';

interface ExamplesProps {
  readonly items: readonly LibraryItem[];
  /** What was sought; null: of a kind or a tag, which kernels from nothing have not. */
  readonly text: string | null;
  readonly entry: (item: LibraryItem) => ReactElement;
}

export function Examples({ items, text, entry }: ExamplesProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="library-panel__list" aria-label="Examples" tabIndex={0}>
      {grouped(items).map(({ about, heads, question, items: own }) => (
        <Fragment key={question}>
          {heads ? <h2 className="library-panel__about">{about}</h2> : null}
          <h3 className="library-panel__question">{question}</h3>
          <ul>{own.map(entry)}</ul>
        </Fragment>
      ))}
      {text === null ? null : <Beginnings text={text} />}
    </section>
  );
}
