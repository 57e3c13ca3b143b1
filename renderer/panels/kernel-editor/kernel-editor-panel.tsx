/** The source of any variant, and copies of it that are the user's own: edited, compiled and run here. */
import { type ReactElement, useEffect, useMemo } from 'react';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useBeginning } from '../../workbench/beginning.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { CompileOptionsView } from './compile-options.tsx';
import { useCopying } from './copying.ts';
import { EditorBar } from './editor-bar.tsx';
import { groupKey, groupsOf } from './groups.ts';
import { PrintedView } from './printed-view.tsx';
import { useShipped } from './shipped.ts';
import { createEditorStore, type EditorState, type EditorStore } from './store.ts';
import { useEditing } from './use-editing.ts';
import { useText } from './use-text.ts';
import { VerdictView } from './verdict-view.tsx';
import '../../widgets/plots/plot-panel.css';
import './kernel-editor-panel.css';

/** Which file the kernel replaces, its folder, and whether it may run. */
function Facts({ info, dirty }: { readonly info: UserKernelInfo; readonly dirty: boolean }): ReactElement {
  const { variants } = useSelected(useWorkbench().stores.userKernels, (state) => state);
  const isTrusted = variants.some(({ id, sha256, trusted }) => id === info.id && trusted && sha256 === info.sha256);
  return (
    <p className="kernel-editor__facts">
      Replaces <code>{info.description.replaces}</code> in {info.description.base}. {info.place}
      {'. '}
      {dirty
        ? 'Changed, not saved.'
        : isTrusted
          ? 'Trusted in this version.'
          : 'Not yet trusted: you are asked before it runs.'}
    </p>
  );
}

/** The variant that is chosen, among those beside which it stands; one that is gone gives way to the first. */
function useChosen({ workload, bench, variant: wanted }: EditorState) {
  const all = useSelected(useWorkbench().stores.connection, (state) => state.capabilities.variants);
  const groups = useMemo(() => groupsOf(all, isUserKernelId), [all]);
  const group = groups.find(({ key }) => key === groupKey(workload, bench)) ?? groups[0];
  const known = group?.variants.find(({ id }) => id === wanted) ?? group?.variants[0];
  return { groups, group, known, variant: known?.id ?? '' };
}

/** Shows what was asked for elsewhere: a variant of the scenario's benchmark. */
function useWanted(store: EditorStore): void {
  const { stores } = useWorkbench();
  const wanted = useSelected(stores.userKernels, (state) => state.wanted);
  const workload = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  // Null until the scenario is read: which benchmark it is, is not known sooner.
  const bench = useSelected(stores.scenario, ({ lastResolved: resolved }) =>
    resolved?.kind !== workload ? null : 'bench' in resolved ? resolved.bench : '',
  );
  const opened = useSelected(stores.userKernels, (state) => state.opened);
  useEffect(() => {
    if (opened === null) return;
    stores.userKernels.setState({ opened: null });
    const { workload: of, bench: at } = opened.description;
    store.setState({ workload: of, bench: at, variant: opened.id, file: '' });
  }, [stores, store, opened]);
  useEffect(() => {
    if (wanted === null || bench === null) return;
    stores.userKernels.setState({ wanted: null });
    store.setState({ workload, bench, variant: wanted, file: '' });
  }, [stores, store, wanted, workload, bench]);
}

export default function KernelEditorPanel(): ReactElement {
  const { stores, storage, settingsReset } = useWorkbench();
  const store = useMemo(() => createEditorStore(storage, settingsReset), [storage, settingsReset]);
  useWanted(store);
  const config = useSelected(store, (state) => state);
  const { troubles } = useSelected(stores.userKernels, (state) => state);
  const { groups, group, known, variant } = useChosen(config);
  const isUserKernel = isUserKernelId(variant);
  const key = { workload: group?.workload ?? '', bench: group?.bench ?? '', id: variant };
  const shipped = useShipped(key, config.file);
  const editing = useEditing(isUserKernel ? variant : null);
  const copyOf = useCopying();
  const begin = useBeginning();
  const readByUser = editing.read?.id === variant ? editing.read : null;
  const { text, clear, reveal, place } = useText(
    {
      source: isUserKernel ? readByUser : shipped.shown,
      label: isUserKernel ? `Code of ${variant}` : `Code of ${shipped.shown?.path ?? variant}, to be read`,
      mayType: isUserKernel,
    },
    editing,
  );
  const dirty = isUserKernel && editing.saved !== null && text !== editing.saved;

  async function choose(to: Partial<EditorState>): Promise<void> {
    if (dirty) {
      const answer = await stores.dialogs.ask('confirm', {
        title: `Save ${variant}?`,
        text: 'What you changed in it is not saved.',
        choices: [
          { id: 'discard', label: 'Discard', tone: 'danger' },
          { id: 'save', label: 'Save', tone: 'primary' },
        ],
      });
      if (answer === null || (answer === 'save' && !(await editing.actions.save(text)))) return;
    }
    clear();
    store.setState({ ...to, file: '' });
  }

  async function saveCopy(): Promise<void> {
    if (shipped.shown === null || known === undefined) return;
    const id = await copyOf(known, shipped.shown.path);
    if (id === null) return;
    clear();
    store.setState({ variant: id, file: '' });
  }

  return (
    <div className="kernel-editor">
      <EditorBar
        {...{ groups, group, variant, isUserKernel, shipped, editing, text, dirty }}
        choose={(to) => void choose(to)}
        showFile={(file) => store.setState({ file })}
        copy={() => void saveCopy()}
        begin={() => void begin()}
      />
      {isUserKernel && editing.info !== null ? <Facts info={editing.info} dirty={dirty} /> : null}
      {isUserKernel && editing.info !== null ? (
        <CompileOptionsView
          info={editing.info}
          disabled={editing.busy !== null}
          onChange={(options) => void editing.actions.setOptions(options)}
        />
      ) : null}
      {troubles.length === 0 || isUserKernel ? null : (
        <ul className="kernel-editor__troubles">
          {troubles.map(({ id, message }) => (
            <li key={id}>{message}</li>
          ))}
        </ul>
      )}
      <div className="kernel-editor__text" ref={place} data-testid="user-kernel-editor" />
      {editing.outcome === null ? null : <VerdictView id={variant} outcome={editing.outcome} />}
      {editing.printed === null ? null : <PrintedView id={variant} printed={editing.printed} />}
      {editing.issues.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
        <section className="kernel-editor__issues" aria-label="What the compiler says" tabIndex={0}>
          <IssueList issues={editing.issues} onChoose={reveal} />
        </section>
      )}
    </div>
  );
}
