/** File picker for shells without a native dialog: the library, recent files, or a file on this computer. */
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { NamedFile } from '../../../electron/contract/files.ts';
import type { LibraryEntry } from '../../../electron/contract/scenarios.ts';
import { libraryItemSummary, timeOfDay } from '../../../electron/domain/numbers.ts';
import type { Client } from '../../data/client/client.ts';
import { type StoredRun, storedRuns } from '../../data/stored-runs.ts';
import type { DialogKinds, PickedFile } from '../../state/dialogs.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

interface PickDialogProps {
  readonly request: DialogKinds['pick']['request'];
  readonly answer: (picked: PickedFile | null) => void;
}

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly detail: string;
  readonly aside: string;
  readonly picked: PickedFile;
}

interface Listing {
  readonly title: string;
  readonly entries: readonly Entry[];
}

function listLibrary(entries: readonly LibraryEntry[], yours: string): readonly Listing[] {
  const asEntry = (entry: LibraryEntry): Entry => ({
    key: JSON.stringify(entry.file),
    name: entry.name === '' ? entry.fileName : entry.name,
    detail: entry.notes,
    aside: entry.readOnly ? entry.fileName : `${entry.fileName} · ${timeOfDay(entry.modified)}`,
    picked: { kind: 'file', file: entry.file },
  });
  return [
    { title: yours, entries: entries.filter((entry) => !entry.readOnly).map(asEntry) },
    { title: 'Examples', entries: entries.filter((entry) => entry.readOnly).map(asEntry) },
  ];
}

async function runListings(client: Client, yours: string): Promise<readonly Listing[]> {
  const [saved, recorded] = await Promise.all([storedRuns(client, 'yours'), storedRuns(client, 'examples')]);
  const listing = (title: string, items: readonly StoredRun[], when: boolean): Listing => ({
    title,
    entries: items.map((item) => ({
      key: item.id,
      name: item.name === '' ? item.fileName : item.name,
      detail: libraryItemSummary(item),
      aside: when ? `${item.fileName} · ${timeOfDay(item.modified)}` : item.fileName,
      picked: { kind: 'file', file: item.file },
    })),
  });
  return [listing(yours, saved, true), listing('Shipped with the program', recorded, false)];
}

function recentListing(recent: readonly NamedFile[]): Listing {
  return {
    title: 'Recent',
    entries: recent.map((file) => ({
      key: `recent ${JSON.stringify(file.file)}`,
      name: file.name,
      detail: '',
      aside: file.place,
      picked: { kind: 'file', file: file.file },
    })),
  };
}

export default function PickDialog({ request, answer }: PickDialogProps): ReactElement {
  const { client, stores } = useWorkbench();
  const folder = useSelected(stores.connection, (state) => state.capabilities.shell.libraryFolder);
  const recent = useSelected(stores.library, (state) => state.recent);
  const [listings, setListings] = useState<readonly Listing[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const isRun = request.what === 'run';
  const host = useSelected(stores.connection, (state) => state.capabilities.shell.remote);
  const yours = host === null ? 'Yours' : `Yours, on ${host}`;

  useEffect(() => {
    const listed = isRun
      ? runListings(client, yours)
      : client.call('scenario.library', {}).then(({ entries }) => listLibrary(entries, yours));
    listed.then(setListings, (error: unknown) => setFailure(errorText(error)));
  }, [client, isRun, yours]);

  const shown = [...(isRun ? [] : [recentListing(recent.slice(0, 5))]), ...(listings ?? [])].filter(
    (listing) => listing.entries.length > 0,
  );
  return (
    <Dialog
      title={isRun ? 'Open run' : 'Open scenario'}
      size="large"
      onDismiss={() => answer(null)}
      actions={
        <>
          <Button icon="open" onPress={() => input.current?.click()}>
            From this computer…
          </Button>
          <Button onPress={() => answer(null)}>Cancel</Button>
        </>
      }
    >
      <input
        ref={input}
        type="file"
        hidden
        data-testid="pick-local"
        accept={isRun ? '.h5,.hdf5,.json' : '.json,.yaml,.yml'}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) answer({ kind: 'local', file });
        }}
      />
      {failure === null ? null : <p role="alert">The library could not be read: {failure}</p>}
      {listings === null && failure === null ? <p>Reading the library…</p> : null}
      {listings !== null && shown.length === 0 ? <p>Nothing has been saved in {folder} yet.</p> : null}
      {shown.map((listing) => (
        <section key={listing.title} className="pick-list">
          <h3>{listing.title}</h3>
          <ul>
            {listing.entries.map((entry) => (
              <li key={entry.key}>
                <button type="button" onClick={() => answer(entry.picked)}>
                  <span className="semi-strong ink">{entry.name}</span>
                  <span className="pick-list__aside text-right faint clip nowrap">{entry.aside}</span>
                  {entry.detail === '' ? null : (
                    <span className="pick-list__detail all-columns faint clip">{entry.detail}</span>
                  )}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  );
}
