/** The scenario being edited: the document as its author wrote it, with undo, and what the host says about it. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Issue } from '../../electron/contract/errors.ts';
import type { NamedFile } from '../../electron/contract/files.ts';
import type { RunId } from '../../electron/contract/run.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/draft.ts';
import { defaultKind, newDocument, type Path, withValueAt } from '../../electron/contract/scenario/index.ts';
import type { Resolved } from '../../electron/contract/scenarios.ts';
import { sameJson } from '../base/same-json.ts';

interface Revision {
  readonly draft: ScenarioDraft;
  /** Name of the edit, for the menu: `Energy`. */
  readonly label: string;
  /** Edits with the same key in a row are one: the digits of one number. */
  readonly key: string | null;
}

/** Result of the host's check of one draft. */
export interface Check {
  readonly draft: ScenarioDraft;
  readonly issues: readonly Issue[];
  readonly resolved: Resolved | null;
}

export interface ScenarioState {
  readonly draft: ScenarioDraft;
  /** Null if never saved. */
  readonly file: NamedFile | null;
  /** Shipped with the program: Save asks for another name. */
  readonly readOnly: boolean;
  /** Stamp of the file when it was last read or written here, to detect later changes; null if there is no file. */
  readonly stamp: string | null;
  /** The draft as it is in the file; what is on the disk of a new document is nothing. */
  readonly saved: ScenarioDraft;
  readonly past: readonly Revision[];
  readonly future: readonly Revision[];
  /** Check of the present draft or, while the host looks at it, of an earlier one. */
  readonly check: Check | null;
  /** The last resolved values: placeholders remain while an error is being corrected. */
  readonly lastResolved: Resolved | null;
  /** Grows with every document that is opened: forms drop what they hold of the former. */
  readonly generation: number;
  /** The run that the document was taken from; its results belong to it. Null: another source. */
  readonly ofRun: RunId | null;
}

export interface OpenedDocument {
  readonly draft: ScenarioDraft;
  readonly file: NamedFile | null;
  readonly readOnly: boolean;
  readonly stamp?: string | null;
  readonly ofRun?: RunId | null;
}

export interface ScenarioStore extends StoreApi<ScenarioState> {
  /** Replaces the document and forgets its history. */
  open(document: OpenedDocument): void;
  /** Sets one value; undefined takes it out, so that its default holds. */
  edit(path: Path, value: unknown, label: string, key?: string | null): void;
  /** Puts another document in its place, as one edit. */
  replace(draft: ScenarioDraft, label: string): void;
  /** Ends a row of edits with one key: the next is undone by itself. */
  settle(): void;
  undo(): void;
  redo(): void;
  /** The draft is in this file now. */
  markSaved(draft: ScenarioDraft, file: NamedFile, stamp?: string | null): void;
  checked(check: Check): void;
}

/** Deep enough for an afternoon; a draft is a few kilobytes. */
const MOST_REVISIONS = 500;

/** Initial draft of the form. */
export const emptyDraft: ScenarioDraft = newDocument(defaultKind);

export function isEdited(state: ScenarioState): boolean {
  return state.draft !== state.saved && !sameJson(state.draft, state.saved);
}

/** Title of the document in windows and lists. */
export function documentTitle(state: ScenarioState): string {
  if (state.file !== null) return state.file.name;
  const name = state.draft['name'];
  return typeof name === 'string' && name.trim() !== '' ? name : 'Untitled';
}

export function createScenarioStore(): ScenarioStore {
  const store = createStore<ScenarioState>(() => ({
    draft: emptyDraft,
    file: null,
    readOnly: false,
    stamp: null,
    saved: emptyDraft,
    past: [],
    future: [],
    check: null,
    lastResolved: null,
    generation: 0,
    ofRun: null,
  }));
  const { getState, setState } = store;
  let openKey: string | null = null;

  return {
    ...store,
    open({ draft, file, readOnly, stamp = null, ofRun = null }) {
      openKey = null;
      setState((state) => ({
        draft,
        file,
        readOnly,
        stamp,
        saved: draft,
        past: [],
        future: [],
        check: null,
        lastResolved: null,
        generation: state.generation + 1,
        ofRun,
      }));
    },
    edit(path, value, label, key = null) {
      const { draft, past } = getState();
      const next = pruned(withValueAt(draft, path, value), path) as ScenarioDraft;
      if (sameJson(next, draft)) return;
      const continues = key !== null && key === openKey;
      openKey = key;
      setState({
        draft: next,
        past: continues ? past : [...past, { draft, label, key }].slice(-MOST_REVISIONS),
        future: [],
      });
    },
    replace(draft, label) {
      openKey = null;
      const { draft: before, past } = getState();
      if (sameJson(draft, before)) return;
      // Fields drop what they hold of the former document.
      setState((state) => ({
        draft,
        past: [...past, { draft: before, label, key: null }].slice(-MOST_REVISIONS),
        future: [],
        generation: state.generation + 1,
      }));
    },
    settle() {
      openKey = null;
    },
    undo() {
      const { draft, past, future } = getState();
      const last = past.at(-1);
      if (last === undefined) return;
      openKey = null;
      setState({ draft: last.draft, past: past.slice(0, -1), future: [...future, { ...last, draft }] });
    },
    redo() {
      const { draft, past, future } = getState();
      const next = future.at(-1);
      if (next === undefined) return;
      openKey = null;
      setState({ draft: next.draft, past: [...past, { ...next, draft }], future: future.slice(0, -1) });
    },
    markSaved(draft, file, stamp = null) {
      setState({ saved: draft, file, stamp, readOnly: false });
    },
    checked(check) {
      setState((state) => ({ check, lastResolved: check.resolved ?? state.lastResolved }));
    },
  };
}

/** Takes out the objects on the way to `path` that have become empty: `grid: {}` says nothing. */
function pruned(document: unknown, path: Path): unknown {
  let result = document;
  for (let length = path.length - 1; length > 0; length -= 1) {
    const holder = path.slice(0, length);
    let value: unknown = result;
    for (const step of holder)
      value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
    const isEmpty =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
    if (!isEmpty || typeof holder.at(-1) === 'number') break;
    result = withValueAt(result, holder, undefined);
  }
  return result;
}
