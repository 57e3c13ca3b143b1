/** Shows a page of the handbook, or search results. */
import { type ReactElement, useEffect, useRef } from 'react';
import { type HandbookLink, handbookPages } from '../../base/handbook-pages.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { headingId, Markdown } from './markdown.tsx';
import { pageText, pageTitle, type SearchMatch, search } from './pages.ts';
import '../../widgets/plots/plots.css';
import './handbook-panel.css';

interface SearchResultsProps {
  readonly query: string;
  readonly onOpen: (place: HandbookLink) => void;
}

const nameOf = ({ title, heading }: SearchMatch): string => (heading === null ? title : `${title} › ${heading}`);

function SearchResults({ query, onOpen }: SearchResultsProps): ReactElement {
  const found = search(query);
  return (
    <>
      <p role="status" className="handbook__count muted">
        {found.length === 1 ? 'One part' : `${found.length === 0 ? 'No' : found.length} parts`} with “{query.trim()}”
      </p>
      <ul className="handbook__found">
        {found.map((one) => (
          <li key={`${one.page} ${one.anchor}`}>
            <button type="button" className="hoverable" onClick={() => onOpen({ page: one.page, anchor: one.anchor })}>
              <span>{nameOf(one)}</span>
              <span className="handbook__excerpt muted">{one.excerpt}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

export default function HandbookPanel(): ReactElement {
  const { handbook } = useWorkbench().stores;
  const place = useSelected(handbook, (state) => state.place);
  const canGoBack = useSelected(handbook, (state) => state.history.length > 0);
  const query = useSelected(handbook, (state) => state.query);
  const body = useRef<HTMLElement>(null);
  const text = pageText(place.page);
  const open = handbook.open;
  useEffect(() => {
    const section = body.current;
    if (section === null || query !== '') return;
    const heading = place.anchor === null ? null : section.querySelector(`#${CSS.escape(headingId(place.anchor))}`);
    if (heading === null) section.scrollTop = 0;
    else heading.scrollIntoView({ block: 'start' });
  }, [place, query]);
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <Select
          label="Page of the handbook"
          value={place.page}
          options={handbookPages.map(({ id, title }) => ({ value: id, label: title }))}
          onChange={(page) => open({ page, anchor: null })}
        />
        <IconButton icon="undo" size={13} label="Back" disabled={!canGoBack} onPress={() => handbook.back()} />
        <span className="handbook__search">
          <TextField label="Search the handbook" placeholder="Search" value={query} onChange={handbook.search} />
        </span>
      </div>
      <section
        className="handbook panel-page grow scroll selectable"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        tabIndex={0}
        aria-label={`Handbook: ${pageTitle(place.page)}`}
        ref={body}
      >
        {query.trim() !== '' ? (
          <SearchResults query={query} onOpen={open} />
        ) : text === null ? (
          <EmptyState
            icon="info"
            title="This page does not exist"
            action={
              <Button onPress={() => open({ page: handbookPages[0]?.id ?? '', anchor: null })}>
                Show the first page
              </Button>
            }
          >
            Choose another page from the list.
          </EmptyState>
        ) : (
          <article className="handbook__page">
            <Markdown text={text} page={place.page} onOpen={open} />
          </article>
        )}
      </section>
    </div>
  );
}
