/**
 * All parts of the page that need no DOM: stores, data, actions, and synchronisation with the host. After every edit,
 * the host checks the scenario and returns issues and resolved values.
 */
import { PRESENCE_INTERVAL_MS } from '../../electron/contract/recovery.ts';
import type { Client } from '../data/client/client.ts';
import { Overlays } from '../data/overlays.ts';
import { ReferenceFeed } from '../data/reference-feed.ts';
import { createRunData, Feeds, type RunData } from '../data/run-data.ts';
import { RunFeed } from '../data/run-feed.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import { createComparisonStore } from '../state/comparison.ts';
import { createConnectionStore, type PageIds } from '../state/connection.ts';
import { createDialogsStore } from '../state/dialogs.ts';
import { createHandbookStore } from '../state/handbook.ts';
import { createLayoutStore, shownRoot } from '../state/layout/store.ts';
import { panelsOf } from '../state/layout/tree.ts';
import { createLibraryStore } from '../state/library.ts';
import { createNoticesStore, type NoticesStore } from '../state/notices.ts';
import type { SettingsStorage } from '../state/persisted.ts';
import { createPlaybackStore } from '../state/playback.ts';
import { createQuestionsStore } from '../state/questions.ts';
import {
  activeRun,
  createRunsStore,
  createTracingStore,
  createWhatIfStore,
  type RunsState,
  type RunsStore,
} from '../state/runs.ts';
import {
  createPresenceStore,
  createScenarioStore,
  createUserKernelStore,
  emptyDraft,
  type PresenceStore,
  type ScenarioStore,
} from '../state/scenario.ts';
import { createImageViewStore, createSelectionStore } from '../state/selection.ts';
import { createTimelinesStore } from '../state/timelines.ts';
import { createAppearanceStore, createZoomStore } from '../state/view.ts';
import { type BenchActions, createBenchActions } from './actions/benches.ts';
import type { ActionContext, Stores } from './actions/context.ts';
import { createDocumentActions, type DocumentActions } from './actions/document.ts';
import { createFigureActions, type FigureActions } from './actions/figures.ts';
import { createLibraryActions, type LibraryActions } from './actions/library.ts';
import { createQuestionActions, QUESTIONS_PANEL, type QuestionActions } from './actions/questions.ts';
import { createRecoveryActions, type RecoveryActions } from './actions/recovery.ts';
import { createReportActions, type ReportActions } from './actions/reports.ts';
import { createRunActions, type RunActions } from './actions/runs.ts';
import { createDesktopActions, type DesktopActions } from './actions/save-file.ts';
import { createTimelineActions, type TimelineActions } from './actions/timelines.ts';
import { createUserKernelActions, type UserKernelActions } from './actions/user-kernels.ts';
import { createWhatIfActions, type WhatIfActions } from './actions/what-if.ts';
import {
  followBenches,
  followDocument,
  followKind,
  followRemotes,
  followRuns,
  followSolver,
  followTimelines,
  followUserKernels,
  saveDrafts,
  validateOnChange,
} from './follow.ts';
import type { PageWorkloads } from './workload.ts';

/** Reports the open file to the host, and warns the user if it is open in another window too. */
function announcePresence(
  client: Client,
  scenario: ScenarioStore,
  presence: PresenceStore,
  notices: NoticesStore,
  { page, previous }: PageIds,
): void {
  let isReported = false;
  const reportFile = async (): Promise<void> => {
    const { file } = scenario.getState();
    if (file === null && !isReported) return;
    isReported = file !== null;
    try {
      const { others } = await client.call('document.presence', { page, file: file?.file ?? null });
      if (scenario.getState().file !== file) return;
      if (others > 0 && presence.getState().others === 0 && file !== null) {
        notices.show({
          tone: 'warning',
          title: `${file.name} is also open in another window`,
          text: 'Saves overwrite each other. Save under another name to keep both versions.',
        });
      }
      presence.setState({ others });
    } catch {
      // Connection failures are reported elsewhere; the next attempt follows soon.
    }
  };
  scenario.subscribe((state, before) => {
    if (state.file === before.file) return;
    presence.setState({ others: 0 });
    void reportFile();
  });
  // After a reload, this window does not count as another one.
  for (const id of previous) client.call('document.presence', { page: id, file: null }).catch(() => undefined);
  setInterval(() => void reportFile(), PRESENCE_INTERVAL_MS);
}

/** Shows the questions at the start unless the user closed them, uses another layout, or opened a file. */
export function offerQuestions({
  questions,
  layout,
  scenario,
}: Pick<Stores, 'questions' | 'layout' | 'scenario'>): void {
  const { file, readOnly } = scenario.getState();
  const theirs = file !== null && !readOnly;
  if (questions.getState().atStart && layout.getState().shown === 'simulate' && !theirs) layout.reveal(QUESTIONS_PANEL);
}

/** Closing the panel prevents it from opening at the next start. Hints end when another layout is shown. */
export function followQuestions({ questions, layout }: Pick<Stores, 'questions' | 'layout'>): void {
  layout.subscribe((state, before) => {
    if (state.shown !== before.shown) return questions.end();
    const arranged = layout.arranged.getState();
    const stood = panelsOf(shownRoot(before, arranged, 'wide')).includes(QUESTIONS_PANEL);
    const stands = panelsOf(shownRoot(state, arranged, 'wide')).includes(QUESTIONS_PANEL);
    if (stood && !stands && state.shown === 'simulate') questions.setState({ atStart: false });
  });
}

export interface Workbench extends ActionContext {
  readonly client: Client;
  readonly stores: Stores;
  readonly data: RunData;
  /** Feeds of the selected run's arrays. */
  readonly feeds: Feeds;
  readonly workloads: PageWorkloads;
  /** Overlays on the depth dose. */
  readonly overlays: Overlays;
  readonly scheduler: FrameScheduler;
  readonly storage: SettingsStorage;
  readonly documents: DocumentActions;
  readonly runs: RunActions;
  readonly whatIf: WhatIfActions;
  readonly userKernels: UserKernelActions;
  readonly files: LibraryActions;
  readonly timelines: TimelineActions;
  readonly recovery: RecoveryActions;
  readonly desktop: DesktopActions;
  /** Exports what panels show. */
  readonly figures: FigureActions;
  readonly benches: BenchActions;
  readonly reports: ReportActions;
  readonly questions: QuestionActions;
  /** For stores of panels: reports that stored settings were reset. */
  readonly settingsReset: (name: string, reason: string) => void;
}

interface WorkbenchOptions {
  readonly client: Client;
  readonly scheduler: FrameScheduler;
  readonly storage: SettingsStorage;
  readonly pages: PageIds;
  readonly workloads: PageWorkloads;
}

export function createWorkbench({ client, scheduler, storage, pages, workloads }: WorkbenchOptions): Workbench {
  const notices = createNoticesStore();
  const settingsReset = (name: string, reason: string): void => {
    notices.show({
      tone: 'info',
      title: `The ${name} settings were reset`,
      text: `The stored settings could not be used: ${reason}.`,
    });
  };
  const stores: Stores = {
    connection: createConnectionStore(client.capabilities),
    scenario: createScenarioStore(),
    runs: createRunsStore(),
    comparison: createComparisonStore(),
    selection: createSelectionStore(),
    image: createImageViewStore(),
    playback: createPlaybackStore(),
    appearance: createAppearanceStore(storage, settingsReset),
    window: createZoomStore(),
    timelines: createTimelinesStore(),
    handbook: createHandbookStore(),
    layout: createLayoutStore(storage, settingsReset, workloads),
    notices,
    dialogs: createDialogsStore(),
    library: createLibraryStore(),
    userKernels: createUserKernelStore(),
    presence: createPresenceStore(),
    tracing: createTracingStore(),
    whatIf: createWhatIfStore(),
    questions: createQuestionsStore(storage, settingsReset),
  };
  const context: ActionContext = { client, stores, pages };
  const data = createRunData();
  const feeds = new Feeds(client, scheduler, data);
  const userKernels = createUserKernelActions(context);
  const openers = {
    documents: createDocumentActions(context),
    runs: createRunActions(context, userKernels),
    benches: createBenchActions(context, userKernels),
    reports: createReportActions(context),
  };
  const overlays = new Overlays(client);
  const workbench: Workbench = {
    client,
    stores,
    data,
    feeds,
    workloads,
    overlays,
    scheduler,
    storage,
    ...openers,
    whatIf: createWhatIfActions({ ...context, feed: feeds.of(RunFeed), scheduler }),
    userKernels,
    pages,
    files: createLibraryActions(context, { ...openers, userKernels }),
    timelines: createTimelineActions(context),
    recovery: createRecoveryActions(context, openers),
    desktop: createDesktopActions(context),
    figures: createFigureActions(context),
    questions: createQuestionActions(context, { ...openers, overlays }),
    settingsReset,
  };
  const recheck = validateOnChange(client, stores.scenario);
  followSolver({ client, stores, userKernels, recheck });
  saveDrafts(client, stores.scenario, notices, pages.page);
  announcePresence(client, stores.scenario, stores.presence, notices, pages);
  for (const { attach } of Object.values(workloads)) attach?.(workbench);
  followTimelines(client, stores.timelines);
  const followers = Object.entries(workloads).map(([workload, { feed }]) => ({ workload, feed: feed(feeds) }));
  followRuns(client, stores.runs, stores.selection, followers, new ReferenceFeed(client, data), scheduler);
  followKind(stores);
  followDocument(stores, overlays);
  followQuestions(stores);
  followUserKernels(stores.scenario, userKernels);
  followBenches(client, stores.comparison, scheduler);
  followRemotes(client, stores.connection);
  return workbench;
}

/** Resolves with the host's runs after the first list has arrived. */
function listedRuns(runs: RunsStore): Promise<RunsState> {
  return new Promise((resolve) => {
    if (runs.getState().listed) return resolve(runs.getState());
    const stop = runs.subscribe((state) => {
      if (!state.listed) return;
      stop();
      resolve(state);
    });
  });
}

/**
 * First actions of the page: load the lists, open the scenario that the program was started with, and run it. If runs
 * already exist (after a reload, or in another window), the page shows the latest run instead.
 */
export async function begin(workbench: Workbench, reloaded = false): Promise<void> {
  await openFirst(workbench, reloaded);
  await workbench.recovery.offer();
}

async function openFirst({ client, stores, documents, runs }: Workbench, reloaded: boolean): Promise<void> {
  const { openFirst: first, runFirst } = client.capabilities;
  client.call('materials.list', {}).then(
    ({ materials }) => stores.library.setState({ materials }),
    (error: unknown) => stores.notices.fail('The list of materials could not be read', error),
  );
  let opened = false;
  if (first === null) await documents.refreshRecent();
  else opened = await documents.openFile(first, 'The scenario');
  if (first !== null && !opened && stores.scenario.getState().draft === emptyDraft) {
    stores.scenario.open({ draft: emptyDraft, file: null, readOnly: false });
  }
  if (!reloaded) offerQuestions(stores);
  const known = await listedRuns(stores.runs);
  const latest = activeRun(known) ?? known.runs[0];
  if (latest !== undefined) {
    if (reloaded || runFirst) runs.offer(latest.id);
  } else if (runFirst && opened) await runs.start();
}
