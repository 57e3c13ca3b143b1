/** Packs a project into one file for a colleague, from the form, this session, the library and studies. */
import { type ReactElement, useEffect, useState } from 'react';
import type { FileRef, LibraryItem } from '../../../electron/contract/files.ts';
import type { StudyEntry } from '../../../electron/contract/study/calls.ts';
import { count } from '../../../electron/domain/numbers.ts';
import { errorText } from '../../state/notices.ts';
import { hasResult } from '../../state/runs.ts';
import { documentTitle } from '../../state/scenario.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { offerFile } from '../../workbench/actions/save-file.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

/** Maximum number of files offered per list, newest first. */
const MAX_OFFERED = 200;

interface Offer {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
}

interface GroupProps {
  readonly title: string;
  readonly offers: readonly Offer[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (key: string, on: boolean) => void;
}

function Group({ title, offers, chosen, onChoose }: GroupProps): ReactElement | null {
  if (offers.length === 0) return null;
  return (
    <fieldset className="pack-project__group grid">
      <legend>{title}</legend>
      {offers.map(({ key, label, detail }) => (
        <label className="flex gap-s" key={key}>
          <input type="checkbox" checked={chosen.has(key)} onChange={({ target }) => onChoose(key, target.checked)} />
          <span className="ink">{label}</span>
          <span className="muted">{detail}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface StoredItems {
  readonly items: readonly (LibraryItem & { readonly file: FileRef })[];
  readonly studies: readonly StudyEntry[];
}

function useStoredItems(): StoredItems {
  const { client, stores } = useWorkbench();
  const [stored, setStored] = useState<StoredItems>({ items: [], studies: [] });
  useEffect(() => {
    let current = true;
    const query = { place: 'yours', text: '', kind: null, tag: null, order: 'newest', limit: MAX_OFFERED } as const;
    Promise.all([client.call('library.search', query), client.call('study.list', {})]).then(
      ([{ items }, { studies }]) => {
        const files = items.flatMap((item) => (item.file === null ? [] : [{ ...item, file: item.file }]));
        if (current) setStored({ items: files, studies });
      },
      (error: unknown) => stores.notices.fail('The library could not be read', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores]);
  return stored;
}

/** Maximum length of a project name, as the host allows. */
const LONGEST_NAME = 100;

/** Reason why packing is not possible yet; null if it is. */
export function notPackableReason(name: string, chosen: number): string | null {
  if (name.trim() === '') return 'The project needs a name.';
  if (name.length > LONGEST_NAME) {
    return `The name has ${name.length} characters; allowed: at most ${LONGEST_NAME}.`;
  }
  return chosen === 0 ? 'Choose at least one part to pack.' : null;
}

export function PackProject({ onDone }: { readonly onDone: () => void }): ReactElement {
  const workbench = useWorkbench();
  const { client, stores } = workbench;
  const title = useSelected(stores.scenario, documentTitle);
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const file = useSelected(stores.scenario, (state) => state.file);
  const runs = useSelected(stores.runs, (state) => state.runs).filter(hasResult);
  const live = useSelected(stores.comparison, (state) => state.live).filter(({ state }) => state === 'done');
  const { items, studies } = useStoredItems();
  const [name, setName] = useState(title.replace(/\.(json|ya?ml)$/i, '').slice(0, LONGEST_NAME));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['form', 'notes']));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const choose = (key: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(key);
    else next.delete(key);
    setChosen(next);
  };
  const missing = notPackableReason(name, chosen.size);
  const ready = missing === null && !busy;
  const pack = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    setFailure(null);
    try {
      const made = await client.call('project.pack', {
        name: name.trim(),
        scenario: chosen.has('form') ? { name: title, document: draft, file: file?.file ?? null } : null,
        files: items.filter(({ id }) => chosen.has(`file ${id}`)).map(({ file }) => file),
        runs: runs.filter(({ id }) => chosen.has(`run ${id}`)).map(({ id }) => id),
        benches: live.filter(({ id }) => chosen.has(`bench ${id}`)).map(({ id }) => id),
        studies: studies.filter(({ id }) => chosen.has(`study ${id}`)).map(({ id }) => id),
        notes: chosen.has('notes'),
      });
      await offerFile(workbench, made);
      onDone();
    } catch (error) {
      setFailure(errorText(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Pack for a colleague"
      size="large"
      onDismiss={onDone}
      onSubmit={() => void pack()}
      actions={
        <>
          <Button onPress={onDone}>Cancel</Button>
          <Button
            tone="primary"
            icon="download"
            disabled={!ready}
            {...(missing !== null && { title: missing })}
            onPress={() => void pack()}
          >
            {busy ? 'Packing…' : 'Pack'}
          </Button>
        </>
      }
    >
      <p>
        One file with all selected parts. Your colleague drops it on the window of Braggbench, or unpacks it on the
        command line.
      </p>
      <TextField label="Name of the project" value={name} autoFocus onChange={setName} />
      {missing === null ? null : (
        <p role="status" className="library-panel__failure flex center gap-s rigid sunken danger">
          {missing}
        </p>
      )}
      <Group
        title="From the form, and notes"
        offers={[
          { key: 'form', label: title, detail: 'the scenario in its current state' },
          { key: 'notes', label: 'Notes on timelines', detail: 'all of them' },
        ]}
        chosen={chosen}
        onChoose={choose}
      />
      <Group
        title="Runs and benchmarks of this session"
        offers={[
          ...runs.map(({ id, name: of, variant, size }) => ({
            key: `run ${id}`,
            label: of,
            detail: `${variant}, ${size}`,
          })),
          ...live.map(({ id, name: of }) => ({ key: `bench ${id}`, label: of, detail: 'benchmark' })),
        ]}
        chosen={chosen}
        onChoose={choose}
      />
      <Group
        title="Studies, with their results"
        offers={studies.map(({ id, done }) => ({ key: `study ${id}`, label: id, detail: `${count(done)} points` }))}
        chosen={chosen}
        onChoose={choose}
      />
      <Group
        title="From the library"
        offers={items.map(({ id, fileName, kind }) => ({ key: `file ${id}`, label: fileName, detail: kind }))}
        chosen={chosen}
        onChoose={choose}
      />
      {failure === null ? null : (
        <p role="alert" className="library-panel__failure flex center gap-s rigid sunken danger">
          {failure}
        </p>
      )}
    </Dialog>
  );
}
