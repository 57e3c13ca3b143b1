/**
 * The scenario being edited in the form: the document as its author wrote it, with undo, and the host's check. Separate
 * stores contain the number of other windows with the same file, and user kernels next to the open scenario.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Capabilities } from '../../electron/contract/capabilities.ts';
import type { Issue } from '../../electron/contract/errors.ts';
import type { FileRef, NamedFile } from '../../electron/contract/files.ts';
import type { RunId } from '../../electron/contract/run.ts';
import {
  defaultKind,
  kindOfDocument,
  migrateIfPossible,
  newDocument,
  type Path,
  valueAt,
  withValueAt,
} from '../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { ResolvedScenario } from '../../electron/contract/scenarios.ts';
import type { UserKernelInfo } from '../../electron/contract/user-kernels.ts';
import { sameJson } from '../base/same-json.ts';

/** The scenario with the default variant if its own variant cannot run on this machine. */
export function withoutAbsentVariant(document: ScenarioDraft, variants: Capabilities['variants']): ScenarioDraft {
  const wanted = valueAt(document, ['solver', 'variant']);
  const found = variants.find(({ id, workload }) => id === wanted && workload === kindOfDocument(document));
  return found?.reason == null ? document : (withValueAt(document, ['solver', 'variant'], undefined) as ScenarioDraft);
}

/** Whether the form contains the scenario of a run. A variant that cannot run on this machine is ignored. */
export function isFormOf(run: ScenarioDraft, draft: ScenarioDraft, variants: Capabilities['variants']): boolean {
  const [ran, form] = [run, draft].map((one) => migrateIfPossible(withoutAbsentVariant(one, variants)));
  return sameJson(ran, form);
}

interface Revision {
  readonly draft: ScenarioDraft;
  /** Name of the edit in the menu, such as `Energy`. */
  readonly label: string;
  /** Consecutive edits with equal keys are merged, such as the digits of a number. */
  readonly key: string | null;
}

/** Result of the host's check of one draft. */
export interface Check {
  readonly draft: ScenarioDraft;
  readonly issues: readonly Issue[];
  readonly resolved: ResolvedScenario | null;
}

export interface ScenarioState {
  readonly draft: ScenarioDraft;
  /** Null if never saved. */
  readonly file: NamedFile | null;
  /** True for scenarios shipped with the program: Save asks for another name. */
  readonly readOnly: boolean;
  /** Stamp of the file when it was last read or written here, to detect later changes; null if there is no file. */
  readonly stamp: string | null;
  /** The draft as saved in the file; for a new document, its initial state. */
  readonly saved: ScenarioDraft;
  readonly past: readonly Revision[];
  readonly future: readonly Revision[];
  /** Check of the current draft or, until the host has responded, of an earlier one. */
  readonly check: Check | null;
  /** Last resolved values, so that placeholders remain while the user corrects an error. */
  readonly lastResolved: ResolvedScenario | null;
  /** Incremented when a document is opened or replaced, so that forms discard their state of the previous one. */
  readonly generation: number;
  /** Number of documents opened so far, so that a late result can be matched to the document that requested it. */
  readonly openedCount: number;
  /** Run from which the document was opened, and whose results belong to it; null for another source. */
  readonly sourceRun: RunId | null;
}

export interface OpenedDocument {
  readonly draft: ScenarioDraft;
  readonly file: NamedFile | null;
  readonly readOnly: boolean;
  readonly stamp?: string | null;
  readonly ofRun?: RunId | null;
}

export interface ScenarioStore extends StoreApi<ScenarioState> {
  /** Opens a document and clears the undo history. */
  open(document: OpenedDocument): void;
  /** Sets a value; undefined removes the value and restores its default. */
  edit(path: Path, value: unknown, label: string, key?: string | null): void;
  /** Replaces the document as a single edit. */
  replace(draft: ScenarioDraft, label: string): void;
  /** Ends the merging of edits, so that the next edit is a separate undo step. */
  endEdit(): void;
  undo(): void;
  redo(): void;
  /** Records that the draft was saved to this file. */
  markSaved(draft: ScenarioDraft, file: NamedFile, stamp?: string | null): void;
  checked(check: Check): void;
}

/** Maximum undo steps. A draft is a few kilobytes. */
const MAX_REVISIONS = 500;

/** Initial draft of the form. */
export const emptyDraft: ScenarioDraft = newDocument(defaultKind);

/** Whether the document is empty only because the initial scenario is still being opened. */
export const awaitsFirstDocument = ({ draft, generation }: ScenarioState, openFirst: FileRef | null): boolean =>
  openFirst !== null && generation === 0 && draft === emptyDraft;

export function isEdited(state: ScenarioState): boolean {
  return state.draft !== state.saved && !sameJson(state.draft, state.saved);
}

/** The document at the time when its notes were written or opened. Later edits may contradict the notes. */
export function documentOfNotes({ draft, past }: Pick<ScenarioState, 'draft' | 'past'>): ScenarioDraft {
  const later = past.findLastIndex((revision) => revision.draft['notes'] !== draft['notes']);
  return past[later + 1]?.draft ?? draft;
}

/**
 * Title of the document in windows and lists. Every problem folder has a `problem.json`, so the title is the problem's
 * name.
 */
export function documentTitle(state: ScenarioState): string {
  const { name } = state.draft;
  const named = typeof name === 'string' && name.trim() !== '' ? name : null;
  const file = state.file?.name ?? null;
  if (file !== null && (named === null || !/^problem\.(?:json|ya?ml)$/i.test(file))) return file;
  return named ?? 'Untitled';
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
    openedCount: 0,
    sourceRun: null,
  }));
  const { getState, setState } = store;
  let openKey: string | null = null;

  return {
    ...store,
    open({ draft, file, readOnly, stamp = null, ofRun: sourceRun = null }) {
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
        openedCount: state.openedCount + 1,
        sourceRun,
      }));
    },
    edit(path, value, label, key = null) {
      const { draft, past } = getState();
      const next = withoutEmptyObjects(withValueAt(draft, path, value), path) as ScenarioDraft;
      if (sameJson(next, draft)) return;
      const continues = key !== null && key === openKey;
      openKey = key;
      setState({
        draft: next,
        past: continues ? past : [...past, { draft, label, key }].slice(-MAX_REVISIONS),
        future: [],
      });
    },
    replace(draft, label) {
      openKey = null;
      const { draft: before, past } = getState();
      if (sameJson(draft, before)) return;
      // The generation changes, so that fields discard their state of the previous document.
      setState((state) => ({
        draft,
        past: [...past, { draft: before, label, key: null }].slice(-MAX_REVISIONS),
        future: [],
        generation: state.generation + 1,
      }));
    },
    endEdit() {
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

/** Removes objects on the path that have become empty, because `grid: {}` has no effect. */
function withoutEmptyObjects(document: unknown, path: Path): unknown {
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

interface PresenceState {
  readonly others: number;
}

export type PresenceStore = StoreApi<PresenceState>;

export function createPresenceStore(): PresenceStore {
  return createStore<PresenceState>(() => ({ others: 0 }));
}

interface UserKernelState {
  /** Scenario whose folder contains the kernels; null if they are in the library. */
  readonly scenarioFile: FileRef | null;
  readonly variants: readonly UserKernelInfo[];
  /** Kernels that cannot be used, with reasons. */
  readonly unusable: readonly { readonly id: string; readonly message: string }[];
  /** Variant of the scenario's benchmark that the editor should show next; null for no request. */
  readonly requestedVariant: string | null;
  /** User kernel of any workload that the editor should show next. */
  readonly requestedKernel: UserKernelInfo | null;
}

export type UserKernelStore = StoreApi<UserKernelState>;

export function createUserKernelStore(): UserKernelStore {
  return createStore<UserKernelState>(() => ({
    scenarioFile: null,
    variants: [],
    unusable: [],
    requestedVariant: null,
    requestedKernel: null,
  }));
}
