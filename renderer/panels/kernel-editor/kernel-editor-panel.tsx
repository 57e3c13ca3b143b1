/** The source of any variant, and copies of it that are the user's own: edited, compiled and run here. */
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import type { VariantKey } from '../../../electron/contract/capabilities.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { CodeEditor } from './code-editor.ts';
import { groupKey, groupsOf } from './groups.ts';
import { createEditorStore, type EditorState } from './store.ts';
import { useEditing } from './use-editing.ts';
import { VerdictView } from './verdict-view.tsx';
import '../../widgets/plots/plot-panel.css';
import './kernel-editor-panel.css';

interface Shipped {
  readonly files: Result<'variant.sources'>['files'];
  readonly templates: readonly string[];
  readonly reason: string | null;
}

/** A shipped variant's files, and those of them that may be replaced. Null of a user kernel. */
function useShipped({ workload, bench, id }: VariantKey): Shipped | null {
  const { client, stores } = useWorkbench();
  const [shipped, setShipped] = useState<Shipped | null>(null);
  useEffect(() => {
    let current = true;
    setShipped(null);
    if (id === '' || isUserKernelId(id)) return;
    Promise.all([
      client.call('variant.sources', { variant: id, workload, bench }),
      client.call('userKernels.templates', { base: { workload, bench, id } }),
    ]).then(
      ([{ files }, { files: templates, reason }]) => current && setShipped({ files, templates, reason }),
      (error: unknown) => current && stores.notices.fail(`The source of ${id} could not be read`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, workload, bench, id]);
  return shipped;
}

/** `my-gather.cpp`, or with a number where that is taken. */
function freeName(base: string, extension: string, taken: readonly string[]): string {
  for (let n = 1; ; n += 1) {
    const name = `my-${base}${n === 1 ? '' : `-${n}`}${extension}`;
    if (!taken.includes(name)) return name;
  }
}

export default function KernelEditorPanel(): ReactElement {
  const { client, stores, storage, settingsReset, userKernels: actions } = useWorkbench();
  const store = useMemo(() => createEditorStore(storage, settingsReset), [storage, settingsReset]);
  const config = useSelected(store, (state) => state);
  const all = useSelected(stores.connection, (state) => state.capabilities.variants);
  const groups = useMemo(() => groupsOf(all, isUserKernelId), [all]);
  const { variants: mine, troubles, beside } = useSelected(stores.userKernels, (state) => state);
  const group = groups.find(({ key }) => key === groupKey(config.workload, config.bench)) ?? groups[0];
  const known = group?.variants ?? [];
  const ids = known.map(({ id }) => id);
  const variant = ids.includes(config.variant) ? config.variant : (ids[0] ?? '');
  const isOwn = isUserKernelId(variant);
  const shipped = useShipped({ workload: group?.workload ?? '', bench: group?.bench ?? '', id: variant });
  const editing = useEditing(isOwn ? variant : null);
  const isTrusted = mine.some(
    ({ id, sha256, trusted }) => id === variant && trusted && sha256 === editing.info?.sha256,
  );
  const base = known.find(({ id }) => id === variant);

  const shownFile =
    shipped?.files.find(({ path }) => path === config.file) ??
    shipped?.files.find(({ path }) => path === shipped.templates[0]) ??
    shipped?.files[0] ??
    null;
  const shownSource = !isOwn ? shownFile : editing.read?.id === variant ? editing.read : null;
  const label = isOwn ? `Code of ${variant}` : `Code of ${shownFile?.path ?? variant}, to be read`;

  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [text, setText] = useState('');
  const latest = useRef(editing);
  latest.current = editing;
  const dirty = isOwn && editing.saved !== null && text !== editing.saved;

  useEffect(() => {
    if (place.current === null) return;
    const made = new CodeEditor({
      parent: place.current,
      onChange: setText,
      onSave: (typed) => void latest.current.actions.save(typed),
      // As the buttons: not while the one before is under way.
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
    // Only what was read: what was saved stands in the editor already, and more may have been typed since.
    if (shownSource === null) return;
    setText(shownSource.text);
    editor.current?.show(shownSource.text, label, !isOwn);
  }, [shownSource, label, isOwn]);
  useEffect(() => editor.current?.mark(editing.issues), [editing.issues]);

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
    setText('');
    store.setState({ ...to, file: '' });
  }

  async function saveCopy(): Promise<void> {
    if (shownFile === null || base === undefined) return;
    const extension = base.device === 'cuda' ? '.cu' : '.cpp';
    const suggested = freeName(
      base.id,
      extension,
      [...mine, ...troubles].map(({ id }) => id),
    );
    const name = await stores.dialogs.ask('name', { title: 'Save a copy as your own variant', suggested, extension });
    if (name === null) return;
    const id = name.endsWith(extension) ? name : `${name}${extension}`;
    try {
      const { workload, bench } = base;
      const copied = { workload, bench, id: base.id };
      await client.call('userKernels.create', { beside, id, base: copied, replaces: shownFile.path });
      await actions.refresh();
      setText('');
      store.setState({ variant: id, file: '' });
    } catch (error) {
      stores.notices.fail(`${id} was not made`, error);
    }
  }

  const mayCopy = shownFile !== null && shipped?.templates.includes(shownFile.path) === true;
  const idle = editing.busy === null && editing.saved !== null;
  return (
    <div className="kernel-editor">
      <div className="kernel-editor__bar">
        <Select
          label="Workload"
          value={group?.key ?? ''}
          options={groups.map(({ key, label: title }) => ({ value: key, label: title }))}
          onChange={(key) => {
            const to = groups.find((one) => one.key === key);
            if (to !== undefined) void choose({ workload: to.workload, bench: to.bench, variant: '' });
          }}
        />
        <Select
          label="Variant"
          value={variant}
          options={known.map(({ id, title }) => ({ value: id, label: `${id} – ${title}` }))}
          onChange={(id) => void choose({ variant: id })}
        />
        {isOwn ? null : (
          <Select
            label="File"
            value={shownFile?.path ?? ''}
            options={(shipped?.files ?? []).map(({ path }) => ({ value: path, label: path.replace(/^kernels\//, '') }))}
            onChange={(file) => store.setState({ file })}
          />
        )}
        {isOwn ? (
          <>
            <Button
              icon="save"
              disabled={!idle || !dirty}
              title="Ctrl+S in the text"
              onPress={() => void editing.actions.save(text)}
            >
              Save
            </Button>
            <Button
              icon="check"
              disabled={!idle}
              title="Ctrl+B in the text"
              onPress={() => void editing.actions.build(text)}
            >
              Build
            </Button>
            <Button
              icon="run"
              tone="primary"
              disabled={!idle}
              title="Ctrl+Enter in the text"
              onPress={() => void editing.actions.run(text)}
            >
              Run
            </Button>
          </>
        ) : (
          <Button icon="copy" tone="primary" disabled={!mayCopy} onPress={() => void saveCopy()}>
            Save copy
          </Button>
        )}
        <span className="panel-readout" role="status" data-testid="user-kernel-says">
          {isOwn
            ? editing.says
            : (shipped?.reason ?? (mayCopy || shipped === null ? '' : 'To be read: this file is used by others too.'))}
        </span>
      </div>
      {isOwn && editing.info !== null ? (
        <p className="kernel-editor__facts">
          In place of <code>{editing.info.description.replaces}</code> in {editing.info.description.base}.{' '}
          {editing.info.place}
          {'. '}
          {dirty
            ? 'Changed, not saved.'
            : isTrusted
              ? 'You trust it as it is.'
              : 'Not yet trusted: you are asked before it runs.'}
        </p>
      ) : null}
      {troubles.length === 0 || isOwn ? null : (
        <ul className="kernel-editor__troubles">
          {troubles.map(({ id, message }) => (
            <li key={id}>{message}</li>
          ))}
        </ul>
      )}
      <div className="kernel-editor__text" ref={place} data-testid="user-kernel-editor" />
      {editing.outcome === null ? null : <VerdictView id={variant} outcome={editing.outcome} />}
      {editing.issues.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus
        <section className="kernel-editor__issues" aria-label="What the compiler says" tabIndex={0}>
          <IssueList issues={editing.issues} onChoose={(issue) => editor.current?.reveal(issue)} />
        </section>
      )}
    </div>
  );
}
