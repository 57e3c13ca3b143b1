/** Source of any variant. Copies in the user's library can be edited, compiled and run. */
import '../../widgets/plots/plots.css';
import './kernel-editor-panel.css';
import { type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import type { Issue } from '../../../electron/contract/errors.ts';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import { checkText, isOpenCheck } from '../../../electron/contract/user-kernels/checks.ts';
import { isUserKernelId, type PrintedOutput, type UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import { countText } from '../../../electron/domain/values/units.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { useNewKernel } from '../../workbench/offers.tsx';
import { CodeEditor } from './code-editor.ts';
import { CompileOptionsView } from './compile-options.tsx';
import { type EditingContext, type Outcome, useEditing } from './editing.ts';
import { EditorBar } from './editor-bar.tsx';
import {
  createEditorStore,
  type EditorState,
  type EditorStore,
  groupKey,
  groupsOf,
  useShippedSources,
} from './store.ts';

/** Output that the kernel printed in its last run. */
function PrintedView({ id, printed }: { readonly id: string; readonly printed: PrintedOutput }): ReactElement | null {
  const { first, last, left_out } = printed;
  if (first === '') return null;
  const gap = left_out === 0 ? '' : `\n… ${countText(left_out, 'character')} omitted …\n`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="kernel-editor__printed line-above rigid scroll" aria-label={`What ${id} printed`} tabIndex={0}>
      <h2>What {id} printed during the measured time</h2>
      <pre>{`${first}${gap}${last}`}</pre>
    </section>
  );
}

function VerdictView({ id, outcome }: { readonly id: string; readonly outcome: Outcome }): ReactElement {
  if (outcome.kind === 'refused') {
    return (
      <div
        className="user-kernel-verdict line-above danger"
        data-right="false"
        role="status"
        data-testid="user-kernel-verdict"
      >
        <h2>{id} did not finish</h2>
        <p>{outcome.reason}</p>
      </div>
    );
  }
  const { verdict, speed } = outcome;
  const { checks, right, doubtful } = verdict;
  const word = right ? 'correct' : doubtful ? 'not checked' : 'wrong';
  return (
    <div
      className={`user-kernel-verdict line-above${doubtful ? '' : ' danger'}`}
      data-right={doubtful ? 'open' : right}
      role="status"
      data-testid="user-kernel-verdict"
    >
      <h2>{`${id} is ${word} on this scenario${right ? `: ${speed}` : ''}`}</h2>
      <ul className="flex wrap">
        {checks.map((check) => (
          <li
            key={check.id}
            className="user-kernel-check flex center gap-s"
            data-ok={isOpenCheck(check) ? 'open' : check.holds}
          >
            <Icon name={isOpenCheck(check) ? 'warning' : check.holds ? 'done' : 'error'} size={14} />
            <b>{check.title}</b>
            <span>{check.holds ? '' : 'wrong: '}</span>
            <span>{checkText(check)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The text in the editor, as read or typed, and the element that contains it. */
interface ShownText {
  /** Null if not read yet; a new object for each read. */
  readonly source: { readonly text: string } | null;
  readonly label: string;
  readonly mayType: boolean;
}

interface EditorText {
  readonly text: string;
  readonly clear: () => void;
  readonly reveal: (issue: Issue) => void;
  readonly place: RefObject<HTMLDivElement | null>;
}

function useEditorText({ source, label, mayType }: ShownText, editing: EditingContext): EditorText {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [text, setText] = useState('');
  const latest = useRef(editing);
  latest.current = editing;

  useEffect(() => {
    if (place.current === null) return;
    const made = new CodeEditor({
      parent: place.current,
      onChange: setText,
      onSave: (typed) => void latest.current.actions.save(typed),
      // As with the buttons, a key has no effect while another action is in progress.
      onBuild: (typed) => void (latest.current.busy === null && latest.current.actions.build(typed)),
      onRun: (typed) => void (latest.current.busy === null && latest.current.actions.run(typed)),
    });
    editor.current = made;
    return () => {
      editor.current = null;
      made.close();
    };
  }, []);
  useEffect(() => {
    // Replace the editor's text only after reading a file. After saving, the editor already contains the saved text,
    // and the user may have typed since.
    if (source === null) return;
    setText(source.text);
    editor.current?.show(source.text, label, !mayType);
  }, [source, label, mayType]);
  useEffect(() => editor.current?.mark(editing.issues), [editing.issues]);

  return { text, clear: () => setText(''), reveal: (issue) => editor.current?.reveal(issue), place };
}

// Copies a shipped file to a user kernel with a name that the user enters.

/** `my-gather.cpp`, or with a number if that name is in use. */
function unusedName(base: string, extension: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = `my-${base}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!taken.includes(name)) return name;
  }
}

/** Asks for the name and makes the copy. Returns its id, or null if cancelled or failed. */
function useCopyKernel(): (base: Variant, replaces: string) => Promise<string | null> {
  const { client, stores, userKernels: actions } = useWorkbench();
  const { variants, unusable, scenarioFile } = useSelected(stores.userKernels, (state) => state);
  return async ({ workload, bench, id: base, device }, replaces) => {
    const extension = device === 'cuda' ? '.cu' : '.cpp';
    const taken = [...variants, ...unusable].map(({ id }) => id);
    const suggested = unusedName(base, extension, taken);
    const name = await stores.dialogs.ask('name', { title: 'Save a copy as a user kernel', suggested, extension });
    if (name === null) return null;
    const id = name.endsWith(extension) ? name : `${name}${extension}`;
    try {
      await client.call('userKernels.create', {
        beside: scenarioFile,
        id,
        base: { workload, bench, id: base },
        replaces,
      });
      await actions.refresh();
      return id;
    } catch (error) {
      stores.notices.fail(`${id} could not be created`, error);
      return null;
    }
  };
}

/** File that the kernel replaces, its folder, and whether it may run. */
function Facts({ info, dirty }: { readonly info: UserKernelInfo; readonly dirty: boolean }): ReactElement {
  const { variants } = useSelected(useWorkbench().stores.userKernels, (state) => state);
  const isTrusted = variants.some(({ id, sha256, trusted }) => id === info.id && trusted && sha256 === info.sha256);
  return (
    <p className="kernel-editor__facts line-below small break-anywhere">
      Replaces <code>{info.description.replaces}</code> in {info.description.base}. {info.place}
      {'. '}
      {dirty
        ? 'Changed, not saved.'
        : isTrusted
          ? 'Trusted in this version.'
          : 'Not yet trusted: you are asked to confirm before it runs.'}
    </p>
  );
}

/** The selected variant within its group; falls back to the first if it no longer exists. */
function useChosenVariant({ workload, bench, variant: wanted }: EditorState) {
  const all = useSelected(useWorkbench().stores.connection, (state) => state.capabilities.variants);
  const groups = useMemo(() => groupsOf(all, isUserKernelId), [all]);
  const group = groups.find(({ key }) => key === groupKey(workload, bench)) ?? groups[0];
  const known = group?.variants.find(({ id }) => id === wanted) ?? group?.variants[0];
  return { groups, group, known, variant: known?.id ?? '' };
}

/** Shows a variant of the scenario's benchmark that another panel requested. */
function useRequestedVariant(store: EditorStore): void {
  const { stores } = useWorkbench();
  const wanted = useSelected(stores.userKernels, (state) => state.requestedVariant);
  const workload = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  // Null if the scenario has not been resolved yet, because only then is its benchmark known.
  const bench = useSelected(stores.scenario, ({ lastResolved: resolved }) =>
    resolved?.kind !== workload ? null : 'bench' in resolved ? resolved.bench : '',
  );
  const opened = useSelected(stores.userKernels, (state) => state.requestedKernel);
  useEffect(() => {
    if (opened === null) return;
    stores.userKernels.setState({ requestedKernel: null });
    const { workload: of, bench: at } = opened.description;
    store.setState({ workload: of, bench: at, variant: opened.id, file: '' });
  }, [stores, store, opened]);
  useEffect(() => {
    if (wanted === null || bench === null) return;
    stores.userKernels.setState({ requestedVariant: null });
    store.setState({ workload, bench, variant: wanted, file: '' });
  }, [stores, store, wanted, workload, bench]);
}

export default function KernelEditorPanel(): ReactElement {
  const { stores, storage, settingsReset } = useWorkbench();
  const store = useMemo(() => createEditorStore(storage, settingsReset), [storage, settingsReset]);
  useRequestedVariant(store);
  const config = useSelected(store, (state) => state);
  const { unusable } = useSelected(stores.userKernels, (state) => state);
  const { groups, group, known, variant } = useChosenVariant(config);
  const isUserKernel = isUserKernelId(variant);
  const key = { workload: group?.workload ?? '', bench: group?.bench ?? '', id: variant };
  const shipped = useShippedSources(key, config.file);
  const editing = useEditing(isUserKernel ? variant : null);
  const copyOf = useCopyKernel();
  const begin = useNewKernel();
  const readByUser = editing.read?.id === variant ? editing.read : null;
  const { text, clear, reveal, place } = useEditorText(
    {
      source: isUserKernel ? readByUser : shipped.shown,
      label: isUserKernel ? `Code of ${variant}` : `Code of ${shipped.shown?.path ?? variant}, read-only`,
      mayType: isUserKernel,
    },
    editing,
  );
  const dirty = isUserKernel && editing.saved !== null && text !== editing.saved;

  async function choose(to: Partial<EditorState>): Promise<void> {
    if (dirty) {
      const answer = await stores.dialogs.ask('confirm', {
        title: `Save ${variant}?`,
        text: 'Your changes are not saved.',
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
    <div className="stack grow">
      <EditorBar
        {...{ groups, group, variant, isUserKernel, shipped, editing, text, dirty }}
        choose={(to) => void choose(to)}
        showFile={(file) => store.setState({ file })}
        copy={() => void saveCopy()}
        begin={() => void begin()}
      />
      {isUserKernel && editing.info !== null ? <Facts info={editing.info} dirty={dirty} /> : null}
      {/* The host rejects options for a single candidate. */}
      {isUserKernel && editing.info?.answer === null ? (
        <CompileOptionsView
          info={editing.info}
          disabled={editing.busy !== null}
          onChange={(options) => void editing.actions.setOptions(options)}
        />
      ) : null}
      {unusable.length === 0 || isUserKernel ? null : (
        <ul className="kernel-editor__troubles line-below small break-anywhere">
          {unusable.map(({ id, message }) => (
            <li key={id}>{message}</li>
          ))}
        </ul>
      )}
      <div className="kernel-editor__text grow clip" ref={place} data-testid="user-kernel-editor" />
      {editing.outcome === null ? null : <VerdictView id={variant} outcome={editing.outcome} />}
      {editing.printed === null ? null : <PrintedView id={variant} printed={editing.printed} />}
      {editing.issues.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
        <section className="kernel-editor__issues line-above scroll" aria-label="Compiler messages" tabIndex={0}>
          <IssueList issues={editing.issues} onChoose={reveal} />
        </section>
      )}
    </div>
  );
}
