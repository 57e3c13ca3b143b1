/**
 * Synchronises stores with the host: runs, benchmarks, and progress of the active one. Feeds follow the selected run.
 * Panels are arranged for the kind of scenario or run that was opened or chosen last. While the solver is compiled, its
 * state is updated, and everything that depends on its stage is reloaded.
 */
import type { BenchInfo, Subject } from '../../electron/contract/bench/benches.ts';
import type { SolverStage } from '../../electron/contract/capabilities.ts';
import type { RunInfo } from '../../electron/contract/run.ts';
import { kindOfDocument } from '../../electron/contract/scenario/index.ts';
import { sameJson } from '../base/same-json.ts';
import type { Client, StreamHandle } from '../data/client/client.ts';
import type { Overlays } from '../data/overlays.ts';
import type { ReferenceFeed } from '../data/reference-feed.ts';
import type { FeedTarget, RunFollower } from '../data/run-data.ts';
import type { FrameScheduler } from '../drawing/scheduler.ts';
import { activeBench, type ComparisonStore } from '../state/comparison.ts';
import type { ConnectionStore } from '../state/connection.ts';
import type { NoticesStore } from '../state/notices.ts';
import { activeRun, hasResult, type RunsStore, runOf } from '../state/runs.ts';
import {
  awaitsFirstDocument,
  documentTitle,
  isEdited,
  type ScenarioState,
  type ScenarioStore,
} from '../state/scenario.ts';
import type { SelectionStore } from '../state/selection.ts';
import type { TimelinesStore } from '../state/timelines.ts';
import type { Stores } from './actions/context.ts';
import type { UserKernelActions } from './actions/user-kernels.ts';

/** Follows the active item; closes the previous item's stream when another one is active. */
function followActive<Id extends string>(active: () => Id | null, open: (id: Id) => StreamHandle): () => void {
  let progressOf: Id | null = null;
  let progress: StreamHandle | null = null;
  return () => {
    const id = active();
    if (id === progressOf) return;
    progress?.close();
    progressOf = id;
    if (id !== null) progress = open(id);
  };
}

/** Copies the host's list of timelines to the store. */
export function followTimelines(client: Client, timelines: TimelinesStore): void {
  client.stream('timelines', {}, { frame: (frame) => timelines.updateList(frame.timelines) });
}

const feedTarget = (run: RunInfo): FeedTarget => ({
  run: run.id,
  state: run.state,
  hasResults: hasResult(run),
  live: run.live === true,
});

export function followRuns(
  client: Client,
  runs: RunsStore,
  selection: SelectionStore,
  followers: readonly { readonly workload: string; readonly feed: RunFollower }[],
  reference: ReferenceFeed,
  scheduler: FrameScheduler,
): void {
  const follow = followActive(
    () => activeRun(runs.getState())?.id ?? null,
    (run) =>
      client.stream(
        'run.progress',
        { run },
        {
          frame: (frame) => {
            runs.setState((state) => ({ progress: { ...state.progress, [run]: frame } }));
            return scheduler.painted();
          },
        },
        { credits: 1 },
      ),
  );
  const followSelected = (): void => {
    const run = runOf(runs.getState(), selection.getState().run);
    for (const { workload, feed } of followers) {
      feed.follow(run?.workload === workload ? feedTarget(run) : null);
    }
    // Answers of Live mode contain their scenario, so it need not be requested.
    reference.follow(run === null || run.live === true ? null : run.id);
  };

  client.stream(
    'runs',
    {},
    {
      frame: (frame) => {
        const newestFirst = [...frame.runs].sort((a, b) => b.created.localeCompare(a.created));
        const live = newestFirst.filter((run) => run.live === true);
        runs.setState({ runs: newestFirst.filter((run) => run.live !== true), live, listed: true });
      },
    },
  );
  runs.subscribe((state, before) => {
    if (state.runs === before.runs) return;
    follow();
    followSelected();
  });
  selection.subscribe((state, before) => {
    if (state.run !== before.run) followSelected();
  });
}

export function followBenches(client: Client, store: ComparisonStore, scheduler: FrameScheduler): void {
  const follow = followActive(
    () => activeBench(store.getState())?.id ?? null,
    (bench) =>
      client.stream(
        'bench.progress',
        { bench },
        {
          frame: (frame) => {
            store.setState((state) => ({ progress: { ...state.progress, [bench]: frame } }));
            return scheduler.painted();
          },
        },
        { credits: 1 },
      ),
  );

  let first = true;
  client.stream(
    'benches',
    {},
    {
      frame: ({ benches }) => {
        const before = new Map(store.getState().live.map((bench) => [bench.id, bench]));
        store.setState({ live: benches });
        const ended = benches.filter(({ state }) => state === 'done' || state === 'cancelled');
        const justEnded = ended.filter(({ id }) => ['queued', 'running'].includes(before.get(id)?.state ?? ''));
        const subjectsOf = ({ subjects }: BenchInfo): readonly Subject[] => subjects.map(({ subject }) => subject);
        // After the page has loaded, show the newest session of each workload instead of recorded rows.
        if (first) {
          const newest = new Map([...ended].reverse().map((bench) => [bench.workload, bench]));
          for (const bench of newest.values()) store.offer(bench.workload, subjectsOf(bench));
        }
        first = false;
        for (const bench of justEnded.reverse()) store.add(bench.workload, subjectsOf(bench));
        follow();
      },
    },
  );
}

/** Delay in ms before unsaved edits are sent to the host. A crash loses at most about this much work. */
const SETTLE_MS = 400;

export function saveDrafts(client: Client, scenario: ScenarioStore, notices: NoticesStore, page: string): void {
  let waiting = false;
  let isSaved = false;
  let failed = false;

  const keep = async (): Promise<void> => {
    waiting = false;
    const state = scenario.getState();
    const edited = isEdited(state);
    if (!edited && !isSaved) return;
    isSaved = edited;
    try {
      if (edited) {
        const file = state.file?.file ?? null;
        await client.call('recovery.keep', { page, title: documentTitle(state), file, draft: state.draft });
      } else await client.call('recovery.drop', { page });
      failed = false;
    } catch (error) {
      // Report once per series of failures. A lost connection is reported elsewhere.
      if (!failed && client.connection !== '') notices.fail('Unsaved edits are not protected against a crash', error);
      failed = true;
      isSaved = true;
    }
  };
  const changed = (state: ScenarioState, before: ScenarioState): void => {
    if (state.draft === before.draft && state.saved === before.saved && state.file === before.file) return;
    if (!waiting) setTimeout(() => void keep(), SETTLE_MS);
    waiting = true;
  };
  scenario.subscribe(changed);
}

/**
 * Clears maps, curves and hints of the previous document when another one is opened. Edits of a document retain them.
 */
export function followDocument(
  { scenario, selection, questions }: Pick<Stores, 'scenario' | 'selection' | 'questions'>,
  overlays: Pick<Overlays, 'clear'>,
): void {
  scenario.subscribe((state, before) => {
    if (state.generation === before.generation) return;
    overlays.clear();
    questions.end();
    const { run } = selection.getState();
    if (run !== null && run !== state.sourceRun) selection.setState({ run: null, pinned: null });
  });
}

export function followKind({ scenario, runs, selection, layout, comparison }: Stores): void {
  const opened = (): void => {
    const kind = kindOfDocument(scenario.getState().draft);
    layout.arrangeFor(kind);
    comparison.show(kind);
  };
  opened();
  scenario.subscribe((state, before) => {
    if (kindOfDocument(state.draft) === kindOfDocument(before.draft)) return;
    opened();
    // A run of another kind cannot be shown in these panels.
    const run = runOf(runs.getState(), selection.getState().run);
    if (run !== null && run.workload !== kindOfDocument(state.draft)) selection.setState({ run: null, pinned: null });
  });
  const chosen = (): void => {
    const run = runOf(runs.getState(), selection.getState().run);
    if (run !== null) layout.arrangeFor(run.workload);
  };
  selection.subscribe((state, before) => {
    if (state.run !== before.run) chosen();
  });
  // A run that was just started or opened may be selected before it is in the list.
  runs.subscribe((state, before) => {
    const { run } = selection.getState();
    if (runOf(state, run) !== null && runOf(before, run) === null) chosen();
  });
}

/** Interval in ms between two measurements of the delay to a remote host. */
const MEASURED_EVERY_MS = 5000;

export function followRemotes(client: Client, connection: ConnectionStore): void {
  client.stream(
    'remotes',
    {},
    {
      frame: ({ remotes }) => {
        connection.setState({ remotes });
      },
    },
  );
  if (client.capabilities.shell.remote === null) return;
  const measure = async (): Promise<void> => {
    const begun_ms = performance.now();
    // Measure only if the connection is up before and after the call, because a call waits for a lost connection.
    const isWhole = (): boolean => connection.getState().state.kind === 'connected';
    const before = isWhole();
    await client.call('host.ping', {});
    if (before && isWhole()) connection.setState({ delay_ms: performance.now() - begun_ms });
  };
  const again = (): void => {
    // A permanently lost connection is reported elsewhere.
    measure().catch(() => undefined);
    setTimeout(again, MEASURED_EVERY_MS);
  };
  again();
}

/** User kernels are next to the scenario file, so another file has other kernels. */
export function followUserKernels(scenario: ScenarioStore, userKernels: UserKernelActions): void {
  void userKernels.refresh();
  scenario.subscribe((now, before) => {
    if (!sameJson(now.file?.file ?? null, before.file?.file ?? null)) void userKernels.refresh();
  });
}

interface Parts {
  readonly client: Client;
  readonly stores: { readonly connection: ConnectionStore; readonly notices: NoticesStore };
  readonly userKernels: Pick<UserKernelActions, 'refresh'>;
  /** Resolves the scenario again without an edit. */
  readonly recheck: () => void;
}

export function followSolver({ client, stores: { connection, notices }, userKernels, recheck }: Parts): void {
  let known: SolverStage = client.capabilities.variants.length === 0 ? 'none' : 'whole';
  let compiling = false;

  const refetch = async (): Promise<void> => {
    try {
      connection.setState({ capabilities: await client.call('capabilities', {}) });
      recheck();
      await userKernels.refresh();
    } catch (error) {
      notices.fail('The variants could not be listed', error);
    }
  };

  client.stream(
    'solver',
    {},
    {
      frame: (solver) => {
        connection.setState({ solver });
        const isNew = solver.stage !== known;
        // Before and after the GPU kernels are compiled, `auto` chooses among different variants.
        const isOther = solver.gpuKernels !== compiling;
        known = solver.stage;
        compiling = solver.gpuKernels;
        if (isNew) void refetch();
        else if (isOther) recheck();
      },
    },
  );
}

/** Delay in ms: longer than the time between two keys of a number, but hardly noticeable. */
const CHECK_AFTER_MS = 120;

/**
 * Returns a function that checks the unchanged scenario again. While the initial scenario is being opened, the empty
 * document is not checked and cannot be run.
 */
export function validateOnChange(client: Client, store: ScenarioStore): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let current: AbortController | null = null;

  const check = async (): Promise<void> => {
    timer = null;
    if (awaitsFirstDocument(store.getState(), client.capabilities.openFirst)) return;
    current?.abort();
    const controller = new AbortController();
    current = controller;
    const { draft, file } = store.getState();
    try {
      // The file is needed because the host looks for stopping-power tables next to it.
      const params = { scenario: draft, file: file?.file ?? null };
      const outcome = await client.callCancellable('scenario.resolve', params, controller.signal);
      if (outcome.status === 'done' && store.getState().draft === draft) {
        store.checked({ draft, ...outcome.value });
      }
    } catch {
      // Connection failures are reported elsewhere; the next edit retries.
    }
  };

  store.subscribe((state, before) => {
    if (state.draft === before.draft && state.file === before.file && state.generation === before.generation) return;
    if (timer !== null) clearTimeout(timer);
    // Check a newly opened document without delay.
    timer = setTimeout(check, state.generation === before.generation ? CHECK_AFTER_MS : 0);
  });
  void check();
  return () => void check();
}
