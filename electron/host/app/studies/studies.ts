/**
 * Studies in the library, which the page plans, solves and displays.
 *
 * Also offers ready-made studies for a scenario, from published claims and tunables of its variants.
 */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Capabilities } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import { formatPath, formatValue, kindOfDocument, valueAt } from '../../../contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import {
  type StudyAdvice,
  type StudyColumns,
  type StudyEntry,
  type StudyForecast,
  type StudyId,
  type StudyPlan,
  type StudyRows,
  type StudyView,
  studyIdSchema,
} from '../../../contract/study/calls.ts';
import type { Cluster } from '../../../contract/study/clusters.ts';
import type { PlanLine, PointResult } from '../../../contract/study/index.ts';
import { errorFromNative } from '../../io/addon/addon.ts';
import { identifyThisMachine } from '../../io/files/this-machine.ts';
import { type BenchmarkId, type Claim, readBenchmarkClaims } from '../../model/bench/claims.ts';
import { isStudyFolder, StudyFolder } from '../../model/studies/folder.ts';
import { readViews, writeTarget, writeViews } from '../../model/studies/folder-state.ts';
import type { RequestedColumns, TableQuery } from '../../model/studies/table-query.ts';
import type { ScenarioOrigin } from '../../workloads/scenarios/scenarios.ts';
import { tuneLocally } from '../tuning/evaluator.ts';
import { benchKindOf, type UserKernels } from '../user-kernels/user-kernels.ts';
import type { Clusters } from './cluster/clusters.ts';
import { solveOnCluster, throwIfSearch } from './cluster/engine.ts';
import {
  entireMachine,
  type LocalOptions,
  type StudyOutcome,
  type StudyProgress,
  solveLocally,
} from './local/engine.ts';
import {
  forecastOf,
  lockStudy,
  type PlannedStudy,
  planOf,
  type SolvingHost,
  savePlan,
  studyOf,
  unsolvedPoints,
} from './plan.ts';
import {
  documentOf,
  studyAdvice,
  studyPoint,
  studyRows,
  studyTableFile,
  studyValues,
  type TableFormat,
} from './results.ts';
import { statusOf } from './status.ts';

interface StudyOffers {
  readonly tunable: string[];
  readonly claims: { readonly claim: string; readonly variants: string[] }[];
}

interface StudyOffersParts {
  readonly assetsFolder: string;
  readonly userKernels: UserKernels;
  readonly capabilities: Pick<Capabilities, 'variants'>;
}

const benchKindOfDocument = (document: ScenarioDraft): BenchmarkId =>
  benchKindOf({
    kind: kindOfDocument(document),
    problem: valueAt(document, ['problem']),
    name: valueAt(document, ['name']),
  });

/** Reads the published claims about the benchmark that the document describes. */
const claimsAbout = (document: ScenarioDraft, assetsFolder: string): Promise<readonly Claim[]> =>
  readBenchmarkClaims(assetsFolder, benchKindOfDocument(document));

async function findOffers(
  document: ScenarioDraft,
  { assetsFolder, userKernels, capabilities }: StudyOffersParts,
): Promise<StudyOffers> {
  const about = benchKindOfDocument(document);
  const here = capabilities.variants.filter(
    ({ workload, bench, available }) =>
      workload === about.workload && available && (bench === '' || bench === about.bench),
  );
  const ids = new Set(here.map(({ id }) => id));
  const tunable: string[] = [];
  for (const id of ids) if ((await userKernels.space(id, about)) !== null) tunable.push(id);
  const claims = (await claimsAbout(document, assetsFolder)).flatMap(({ claim, pairs }) => {
    const both = pairs.filter(({ slower, faster }) => ids.has(slower.variant) && ids.has(faster.variant));
    const variants = [...new Set(both.flatMap(({ slower, faster }) => [slower.variant, faster.variant]))];
    return variants.length === 0 ? [] : [{ claim, variants }];
  });
  return { tunable, claims };
}

/** A study that this process is solving. */
interface ActiveStudy {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  progress: StudyProgress | null;
}

interface StudiesParts {
  /** Returns the host. Call it only after the host has been opened. */
  readonly host: () => SolvingHost;
  readonly assetsFolder: string;
  /** Returns the folder of the library, which the user may change at any time. */
  readonly libraryFolder: () => string;
  readonly clusters: Pick<Clusters, 'requireCluster'>;
}

const ENDING = '.study';
const DEFAULT_NAME = 'study';
const MAX_NAME_LENGTH = 999;
const MAX_REPORTED_REFUSALS = 5;

/** Resolves the path of a base scenario relative to the study's folder. */
const findBase = (folder: string, file: string): string => path.resolve(folder, file);

const settingsText = ({ settings }: { readonly settings: PlannedStudy['points'][number]['settings'] }): string =>
  settings.map(({ path: at, value }) => `${formatPath(at)} = ${formatValue(value)}`).join(', ');

/** Derives the name of a study's folder from the name of the study. */
function folderNameOf(name: string): StudyId {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}_ .,()+–-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}_]+/u, '')
    .slice(0, 80)
    .trim();
  return plain === '' ? DEFAULT_NAME : plain;
}

/**
 * Solves the points of a study on this machine or on a cluster. For a tuning search, measures them one after another.
 */
function startSolving(
  host: SolvingHost,
  options: Omit<LocalOptions, 'share'> & { readonly retry: boolean; readonly cluster: Cluster | null },
): Promise<StudyOutcome> {
  const { search } = options.folder.study;
  const { cluster } = options;
  if (cluster !== null) return solveOnCluster({ ...options, cluster });
  return search === undefined
    ? solveLocally({ ...options, share: entireMachine(host) })
    : tuneLocally({ ...options, search });
}

export class Studies {
  readonly #parts: StudiesParts;
  readonly #going = new Map<StudyId, ActiveStudy>();
  /** Reason why solving ended early, by study. */
  readonly #errors = new Map<StudyId, string>();
  /** Cancels the forecast in progress. */
  #forecasting = new AbortController();

  constructor(parts: StudiesParts) {
    this.#parts = parts;
  }

  get isSolving(): boolean {
    return this.#going.size > 0;
  }

  get #studiesFolder(): string {
    return path.join(this.#parts.libraryFolder(), 'studies');
  }

  #path(id: StudyId): string {
    return path.join(this.#studiesFolder, `${id}${ENDING}`);
  }

  /** Returns the folder of a study. Throws BraggError `not-found`. */
  folderOf(id: StudyId): string {
    if (existsSync(this.#path(id))) return this.#path(id);
    throw new BraggError('not-found', `The study ${id} does not exist.`);
  }

  /** Lists the studies, newest first. */
  async list(): Promise<StudyEntry[]> {
    const names = await readdir(this.#studiesFolder).catch(() => []);
    const ids = names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
    const entries = await Promise.all(
      ids.filter((id) => studyIdSchema.safeParse(id).success).map((id) => this.#entry(id).catch(() => null)),
    );
    return entries.filter((entry) => entry !== null).toSorted((a, b) => b.created.localeCompare(a.created));
  }

  async #entry(id: StudyId): Promise<StudyEntry | null> {
    if (!(await isStudyFolder(this.#path(id)))) return null;
    const folder = await StudyFolder.open(this.#path(id));
    const { status, going } = await this.#currentStatus(id, folder);
    const { name, points, done, failed, stopping, working, failures, on } = status;
    const here = going === undefined ? null : stopping || going.stop.signal.aborted ? 'stopping' : 'running';
    const others = working.filter(
      ({ pid, room }) => pid !== process.pid || room !== identifyThisMachine().processNamespaceId,
    );
    const there = others.length > 0 ? 'elsewhere' : done + failed === points ? 'whole' : 'open';
    const { per_s = null, left_s = null } = going?.progress ?? {};
    return {
      ...{ id, name, points, done, failed, per_s, left_s, failures },
      state: here ?? there,
      error: this.#errors.get(id) ?? null,
      on: on?.cluster ?? null,
      searches: folder.study.search !== undefined,
      created: folder.head.created,
    };
  }

  /**
   * Status from the files, and the active work in this process. Repeated if the work ended in between, because a
   * complete study would look interrupted.
   */
  async #currentStatus(id: StudyId, folder: StudyFolder) {
    for (;;) {
      const before = this.#going.get(id);
      const status = await statusOf(folder);
      const going = this.#going.get(id);
      if (going === before) return { status, going };
    }
  }

  /** Plans a study. Throws BraggError `invalid` with all issues. */
  async plan(document: ScenarioDraft, place: ScenarioOrigin): Promise<StudyPlan> {
    const { points, combinations, checked, state_bytes, least_s } = await this.#planDocument(document, place);
    const refused = checked.flatMap(({ point, refusal }) =>
      refusal === null ? [] : [{ settings: settingsText(point), message: refusal }],
    );
    return {
      ...{ points: points.length, combinations, looked: checked.length, state_bytes, least_s },
      refused: refused.slice(0, MAX_REPORTED_REFUSALS),
    };
  }

  /** Forecasts the duration of a study. Null if this is not possible, or if a newer request has cancelled it. */
  async forecast(document: ScenarioDraft, place: ScenarioOrigin): Promise<StudyForecast | null> {
    this.#forecasting.abort();
    this.#forecasting = new AbortController();
    const { signal } = this.#forecasting;
    const planned = await this.#planDocument(document, place, signal);
    if (planned.study.search !== undefined || signal.aborted) return null;
    const host = this.#parts.host();
    const found = await forecastOf(host, planned, entireMachine(host), signal);
    return signal.aborted ? null : found;
  }

  #planDocument(
    document: ScenarioDraft,
    place: ScenarioOrigin,
    signal = new AbortController().signal,
  ): Promise<PlannedStudy> {
    const { addon, scenarios, userKernels } = this.#parts.host();
    const name = typeof document['name'] === 'string' ? document['name'] : '';
    const file = path.join(place.folder ?? this.#studiesFolder, `${folderNameOf(name)}.json`);
    return planOf(studyOf(document, file), { addon, scenarios, userKernels, find: findBase, signal });
  }

  /** Starts a study, or continues an existing one with the same plan. Returns its id. */
  async start(document: ScenarioDraft, place: ScenarioOrigin, on: string | null): Promise<StudyId> {
    const cluster = await this.#cluster(on);
    const planned = await this.#planDocument(document, place);
    throwIfSearch(planned.study.search, cluster);
    this.#forecasting.abort();
    const wanted = folderNameOf(planned.study.name);
    for (let i = 1; i <= MAX_NAME_LENGTH; i += 1) {
      const id = i === 1 ? wanted : `${wanted} ${i}`;
      const folder = await savePlan(planned, this.#path(id)).catch((error: unknown) => {
        if (error instanceof BraggError && error.code === 'exists') return null;
        throw error;
      });
      if (folder === null) continue;
      await this.#solveInBackground(id, folder, false, cluster);
      return id;
    }
    throw new BraggError(
      'exists',
      `The library already has ${MAX_NAME_LENGTH} studies named ${wanted} with a number. Rename or delete some.`,
    );
  }

  async resume(id: StudyId, retry: boolean, on: string | null): Promise<void> {
    const cluster = await this.#cluster(on);
    const folder = await this.#open(id);
    throwIfSearch(folder.study.search, cluster);
    await this.#solveInBackground(id, folder, retry, cluster);
  }

  /** Returns the cluster with this name; null means this machine. Throws BraggError `not-found`. */
  async #cluster(name: string | null): Promise<Cluster | null> {
    return name === null ? null : this.#parts.clusters.requireCluster(name);
  }

  /** Requests a stop and returns at once. The processes stop within a second. */
  async stop(id: StudyId): Promise<void> {
    const folder = await this.#open(id);
    // Write the stop request before aborting, because a process that is aborted without it leaves its jobs on the
    // cluster.
    await folder.requestStop().finally(() => this.#going.get(id)?.stop.abort());
  }

  async rows(id: StudyId, look: TableQuery): Promise<StudyRows> {
    return studyRows({ folder: (await this.#open(id)).folder, look });
  }

  async values(id: StudyId, asked: RequestedColumns): Promise<StudyColumns> {
    return studyValues({ folder: (await this.#open(id)).folder, asked });
  }

  async point(id: StudyId, point: string): Promise<{ scenario: ScenarioDraft; name: string }> {
    const folder = await this.#open(id);
    const { line } = await this.#requirePoint(id, point);
    const base = folder.head.bases[line.base];
    const scenario = documentOf(base?.document, line.settings) as ScenarioDraft;
    const settings = settingsText(line);
    const name = base === undefined || settings === '' ? (base?.name ?? id) : `${base.name}, ${settings}`;
    return { scenario, name };
  }

  /** Returns settings and result of a point. `result` is null if the point has none yet. */
  async result(id: StudyId, point: string): Promise<{ settings: string; result: PointResult | null }> {
    const { line, result } = await this.#requirePoint(id, point);
    return { settings: settingsText(line), result };
  }

  async #requirePoint(id: StudyId, point: string): Promise<{ line: PlanLine; result: PointResult | null }> {
    const { line, result } = await studyPoint({ folder: this.folderOf(id), point });
    if (line === null) throw new BraggError('not-found', `${id} has no point ${point}.`);
    return { line, result };
  }

  async advice(id: StudyId, error_mm: number): Promise<readonly StudyAdvice[]> {
    const { folder, head } = await this.#open(id);
    const claims = await claimsAbout((head.bases[0]?.document ?? {}) as ScenarioDraft, this.#parts.assetsFolder);
    return studyAdvice({ folder, claims, error_mm });
  }

  offers(document: ScenarioDraft): Promise<StudyOffers> {
    const { assetsFolder, host } = this.#parts;
    return findOffers(document, { assetsFolder, userKernels: host().userKernels, capabilities: host().capabilities() });
  }

  async views(id: StudyId): Promise<readonly StudyView[]> {
    return readViews((await this.#open(id)).folder);
  }

  async saveViews(id: StudyId, views: readonly StudyView[]): Promise<void> {
    await writeViews((await this.#open(id)).folder, views);
  }

  async export(id: StudyId, format: TableFormat): Promise<Uint8Array> {
    return studyTableFile({ folder: (await this.#open(id)).folder, format });
  }

  /** Cancels all work. Results of points that have ended remain. */
  async close(): Promise<void> {
    this.#forecasting.abort();
    const going = [...this.#going.values()];
    for (const { stop } of going) stop.abort();
    await Promise.all(going.map(({ ended }) => ended));
  }

  async #open(id: StudyId): Promise<StudyFolder> {
    return StudyFolder.open(this.folderOf(id));
  }

  /** Starts solving a study in the background. Throws BraggError `exists` if another process works on it. */
  async #solveInBackground(id: StudyId, folder: StudyFolder, retry: boolean, cluster: Cluster | null): Promise<void> {
    if (this.#going.has(id)) throw new BraggError('exists', `${id} is being solved.`);
    const lock = await lockStudy(folder);
    try {
      const lines = await unsolvedPoints(folder, retry);
      if (retry) for (const line of lines) await folder.removeFailure(line.id);
      await folder.clearStopRequest();
      await writeTarget(folder.folder, cluster === null ? null : { cluster: cluster.name });
      this.#errors.delete(id);
      const stop = new AbortController();
      const { assetsFolder } = this.#parts;
      const host = this.#parts.host();
      const going: ActiveStudy = {
        stop,
        progress: null,
        ended: startSolving(host, {
          ...{ host, folder, lines, assetsFolder, retry, cluster },
          ...{ signal: stop.signal, budget: folder.study.budget, job: null },
          onProgress: (now) => {
            going.progress = now;
          },
        })
          .then(
            () => undefined,
            (error: unknown) => {
              this.#errors.set(id, errorFromNative(error).message);
            },
          )
          .finally(() => {
            this.#going.delete(id);
            lock.release();
          }),
      };
      this.#going.set(id, going);
    } catch (error) {
      lock.release();
      throw error;
    }
  }
}
