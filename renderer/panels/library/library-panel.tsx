/** Library panel: the user's scenarios, runs and benchmarks, the examples, and the trash. */
import './library-panel.css';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import {
  type LibraryItem,
  type LibraryKind,
  type LibraryPlace,
  type LibraryQuery,
  libraryKindSchema,
  libraryPlaceSchema,
} from '../../../electron/contract/files.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { errorText } from '../../state/notices.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { Entry } from './entry.tsx';
import { Examples } from './examples-list.tsx';
import { PackProject } from './pack-project.tsx';

/** Filter and order of the listing, saved per user. */
const schema = z.strictObject({
  place: libraryPlaceSchema,
  kind: libraryKindSchema.nullable(),
  order: z.enum(['newest', 'name']),
});
type LibraryView = Readonly<z.infer<typeof schema>>;
type LibraryViewStore = StoreApi<LibraryView>;

function createLibraryViewStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LibraryViewStore {
  const initial: LibraryView = { place: 'yours', kind: null, order: 'newest' };
  return createPersisted<LibraryView>({ storage, name: 'library', version: 1, schema, initial, onReset });
}

interface Listing {
  /** Null if the first response has not arrived. */
  readonly result: Result<'library.search'> | null;
  /** Hits in the other locations, in display order. */
  readonly elsewhere: readonly HitsElsewhere[];
  readonly failure: string | null;
}

/** Hits of a query in another location, such as the examples or the trash. */
interface HitsElsewhere {
  readonly place: LibraryPlace;
  readonly total: number;
}

/** Delay in ms, so that typing a word sends one request instead of one per letter. */
const TYPING_MS = 120;

function useListing(query: LibraryQuery): Listing {
  const { client } = useWorkbench();
  const [listing, setListing] = useState<Listing>({ result: null, elsewhere: [], failure: null });
  const [revision, setRevision] = useState(0);

  useEffect(() => {
    const handle = client.stream('library', {}, { frame: (frame) => setRevision(frame.revision) });
    return () => handle.close();
  }, [client]);

  const { place, text, kind, tag, order, limit } = query;
  useEffect(() => {
    // Skip revision 0, because the stream's first frame triggers the first request.
    if (revision === 0) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const ask = async (where: LibraryPlace, most: number) => {
        const params = { place: where, text, kind, tag, order, limit: most };
        const answer = await client.callCancellable('library.search', params, stop.signal);
        return answer.status === 'cancelled' ? null : answer.value;
      };
      const seeks = text.trim() !== '' || kind !== null || tag !== null;
      const others = seeks ? libraryPlaceSchema.options.filter((other) => other !== place) : [];
      Promise.all([ask(place, limit), ...others.map((other) => ask(other, 1))]).then(
        ([result = null, ...counts]) => {
          if (stop.signal.aborted || result === null) return;
          const elsewhere = others
            .map((other, i) => ({ place: other, total: counts[i]?.total ?? 0 }))
            .filter(({ total }) => total > 0);
          setListing({ result, elsewhere, failure: null });
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setListing((before) => ({ ...before, failure: errorText(error) }));
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, revision, place, text, kind, tag, order, limit]);
  return listing;
}

const places: readonly { readonly value: LibraryPlace; readonly label: string }[] = [
  { value: 'yours', label: 'Yours' },
  { value: 'examples', label: 'Examples' },
  { value: 'trash', label: 'Trash' },
];
const kinds: readonly { readonly value: LibraryKind | 'all'; readonly label: string }[] = [
  { value: 'all', label: 'All kinds' },
  { value: 'scenario', label: 'Scenarios' },
  { value: 'run', label: 'Runs' },
  { value: 'session', label: 'Benchmarks' },
  { value: 'kernel', label: 'Kernels' },
];
/** Maximum number of listed items; use the search to find more. */
const MAX_SHOWN = 200;

const emptyTexts: Readonly<Record<LibraryPlace, string>> = {
  yours: 'Saved scenarios and runs are listed here. Save the scenario in the form, or start with an example.',
  examples: 'The program was installed without examples.',
  trash: 'Files in the trash stay there until you delete them from its folder yourself.',
};

const labelOf = (place: LibraryPlace): string => places.find(({ value }) => value === place)?.label ?? place;

interface ElsewhereProps {
  readonly found: readonly HitsElsewhere[];
  readonly show: (place: LibraryPlace) => void;
}

/** Number of hits in each other location, with a link to it. */
function OtherMatches({ found: matches, show }: ElsewhereProps): ReactElement | null {
  if (matches.length === 0) return null;
  return (
    <span className="library-panel__elsewhere wrap gap-m">
      {matches.map(({ place, total }) => (
        <Button key={place} onPress={() => show(place)}>
          {`${total} in ${labelOf(place)}`}
        </Button>
      ))}
    </span>
  );
}

/** Actions offered if a location contains no files. */
function EmptyList({
  place,
  show,
}: {
  readonly place: LibraryPlace;
  readonly show: ElsewhereProps['show'];
}): ReactElement {
  const { documents } = useWorkbench();
  return (
    <span className="library-panel__elsewhere wrap gap-m">
      {place === 'yours' ? (
        <Button icon="save" tone="primary" onPress={() => void documents.saveAs()}>
          Save this scenario…
        </Button>
      ) : (
        <Button icon="library" onPress={() => show('yours')}>
          Show yours
        </Button>
      )}
      {place === 'examples' ? null : (
        <Button icon="library" onPress={() => show('examples')}>
          Show the examples
        </Button>
      )}
    </span>
  );
}

interface SearchBarProps {
  readonly view: LibraryViewStore;
  readonly text: string;
  readonly setText: (text: string) => void;
}

/** Filter and order of the listed files. */
function SearchBar({ view, text, setText }: SearchBarProps): ReactElement {
  const { place, kind, order } = useSelected(view, (state) => state);
  return (
    <div className="library-panel__bar flex wrap gap-m rigid line-below">
      <span className="control library-panel__search flex center gap-m muted">
        <Icon name="search" size={13} />
        <input
          className="grow ink"
          type="search"
          aria-label="Search the library"
          placeholder="Search names, notes, tags, values"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </span>
      <Segmented label="Place" value={place} options={places} onChange={(value) => view.setState({ place: value })} />
      <Select
        label="Kind"
        value={kind ?? 'all'}
        options={kinds}
        onChange={(value) => view.setState({ kind: value === 'all' ? null : (value as LibraryKind) })}
      />
      <Select
        label="Order"
        value={order}
        options={[
          // Examples are not sorted by time, because their times are those of installation.
          { value: 'newest', label: place === 'examples' ? 'By question' : 'Newest first' },
          { value: 'name', label: 'By name' },
        ]}
        onChange={(value) => view.setState({ order: value === 'name' ? 'name' : 'newest' })}
      />
    </div>
  );
}

interface LibraryFooterProps {
  readonly place: LibraryPlace;
  readonly listed: { readonly total: number; readonly folder: string } | null;
}

/** Number of files, their folder, and the buttons to pack them or change the folder. */
function LibraryFooter({ place, listed }: LibraryFooterProps): ReactElement {
  const { stores, files } = useWorkbench();
  const dialogs = useSelected(stores.connection, (state) => state.capabilities.shell.dialogs);
  const [packing, setPacking] = useState(false);
  return (
    <>
      <footer className="library-panel__foot flex center gap-l rigid muted small line-above">
        <span className="clip nowrap grow" title={place === 'examples' ? undefined : listed?.folder}>
          {listed === null
            ? 'Reading the library…'
            : `${listed.total} ${listed.total === 1 ? 'file' : 'files'}${place === 'examples' ? '' : ` · ${listed.folder}`}`}
        </span>
        <Button action="pack" tone="quiet" onPress={() => setPacking(true)}>
          Pack for a colleague…
        </Button>
        {dialogs ? (
          <Button tone="quiet" onPress={() => void files.chooseFolder()}>
            Change…
          </Button>
        ) : null}
      </footer>
      {packing ? <PackProject onDone={() => setPacking(false)} /> : null}
    </>
  );
}

export default function LibraryPanel(): ReactElement {
  const { storage, settingsReset } = useWorkbench();
  const view = useMemo(() => createLibraryViewStore(storage, settingsReset), [storage, settingsReset]);
  const { place, kind, order } = useSelected(view, (state) => state);
  const [text, setText] = useState('');
  const [tag, setTag] = useState<string | null>(null);
  const { result, elsewhere, failure } = useListing({ place, text, kind, tag, order, limit: MAX_SHOWN });
  const filtered = text.trim() !== '' || tag !== null || kind !== null;
  const known = result?.tags.map((each) => each.tag) ?? [];
  const isGrouped = place === 'examples' && order === 'newest';
  const show = (to: LibraryPlace): void => view.setState({ place: to });
  const clear = (): void => {
    setText('');
    setTag(null);
    view.setState({ kind: null });
  };
  const entry = (item: LibraryItem): ReactElement => (
    <Entry key={item.id} item={item} place={place} knownTags={known} filterTag={setTag} />
  );
  return (
    <div className="library-panel stack wide">
      <SearchBar view={view} text={text} setText={setText} />
      {tag === null ? null : (
        <p className="library-panel__filter flex center gap-s rigid sunken">
          Tagged <b>{tag}</b>
          <IconButton
            icon="close"
            size={11}
            label={`Show files without the tag ${tag} as well`}
            onPress={() => setTag(null)}
          />
        </p>
      )}
      {failure === null ? null : (
        <p className="library-panel__failure flex center gap-s rigid sunken danger" role="alert">
          The library could not be read: {failure}
        </p>
      )}
      {/* Reserve the space while loading, so that the content below does not jump. */}
      {result === null ? <div className="library-panel__list grow scroll" /> : null}
      {result === null || result.items.length === 0 ? null : isGrouped ? (
        <Examples items={result.items} text={kind === null && tag === null ? text : null} entry={entry} />
      ) : (
        <ul className="library-panel__list grow scroll">{result.items.map(entry)}</ul>
      )}
      {result !== null && result.items.length === 0 ? (
        filtered ? (
          <EmptyState
            icon="library"
            title={`Nothing found in ${labelOf(place)}`}
            action={
              <>
                <OtherMatches found={elsewhere} show={show} />
                <Button onPress={clear}>Clear the search</Button>
              </>
            }
          >
            {elsewhere.length > 0
              ? 'Found in other sections:'
              : 'No file in any section contains all of these words and has this kind and this tag.'}
          </EmptyState>
        ) : (
          <EmptyState icon="library" title="Nothing here" action={<EmptyList place={place} show={show} />}>
            {emptyTexts[place]}
          </EmptyState>
        )
      ) : null}
      {result !== null && result.items.length > 0 && elsewhere.length > 0 ? (
        <p className="library-panel__more flex center wrap gap-m rigid muted line-above">
          Also found: <OtherMatches found={elsewhere} show={show} />
        </p>
      ) : null}
      <LibraryFooter place={place} listed={result} />
    </div>
  );
}
