/**
 * State of the variant in the editor: text, compiler messages and runs. Responses about a variant that is no longer
 * shown are ignored. A session's checks of the variant become its verdict.
 */
import { useEffect, useState } from 'react';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { MeasuredSessionEntry, Session } from '../../../electron/contract/bench/session.ts';
import { BraggError, type Issue } from '../../../electron/contract/errors.ts';
import type { FileRef } from '../../../electron/contract/files.ts';
import {
  type SanitizerTool,
  sanitizerSummary,
  type UserKernelVerdict,
  userKernelVerdict,
} from '../../../electron/contract/user-kernels/checks.ts';
import type { CompileOptions } from '../../../electron/contract/user-kernels/options.ts';
import type { PrintedOutput, UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import { duration } from '../../../electron/domain/numbers.ts';
import { countText } from '../../../electron/domain/values/units.ts';
import { benchOf } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import type { BenchActions } from '../../workbench/actions/benches.ts';
import type { ActionContext } from '../../workbench/actions/context.ts';
import type { UserKernelActions } from '../../workbench/actions/user-kernels.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export type Outcome =
  | { readonly kind: 'checked'; readonly verdict: UserKernelVerdict; readonly speed: string }
  | { readonly kind: 'refused'; readonly reason: string };

export function outcomeOf(session: Session, id: string): Outcome {
  const [report] = session.reports;
  const entry = report?.entries.find(({ variant }) => variant === id);
  if (report === undefined || entry === undefined) return { kind: 'refused', reason: 'It was stopped before it ran.' };
  if (entry.status === 'refused') return { kind: 'refused', reason: entry.reason };
  const { accuracy, determinism } = entry;
  return {
    kind: 'checked',
    verdict: userKernelVerdict(accuracy, determinism ?? { runs: 1, bitwise: true, spread: null }),
    speed: speedText(entry, report.reference ?? ''),
  };
}

/** Speed relative to the base variant; without a base, the time of a run. */
function speedText({ label, verdict, ratio, time_s }: MeasuredSessionEntry, against: string): string {
  if (label === against) return `${duration(time_s)} a run`;
  const noise = verdict === 'undecided' ? ', within the noise' : '';
  return `${(1 / ratio.value).toPrecision(3)}× the speed of ${against}${noise}`;
}

/** Number of rounds that suffices for a verdict; the Compare panel measures more precisely. */
const ROUNDS = 7;
const TIME_S = 20;

interface EditingState {
  /** Contents of the file when it was opened; a new object for each read. */
  readonly read: { readonly id: string; readonly text: string } | null;
  /** Text as last read or saved. */
  readonly saved: string | null;
  readonly info: UserKernelInfo | null;
  readonly issues: readonly Issue[];
  readonly busy: 'building' | 'running' | 'sanitizing' | 'exporting' | null;
  /** Message about the last action. */
  readonly message: string;
  readonly outcome: Outcome | null;
  readonly printed: PrintedOutput | null;
}

const emptyState: EditingState = {
  read: null,
  saved: null,
  info: null,
  issues: [],
  busy: null,
  message: '',
  outcome: null,
  printed: null,
};

export interface EditingParts {
  readonly client: Pick<ActionContext['client'], 'call'>;
  readonly stores: Pick<ActionContext['stores'], 'comparison' | 'dialogs' | 'notices' | 'scenario'>;
  readonly userKernels: Pick<UserKernelActions, 'refresh' | 'trust' | 'withTrust'>;
  readonly benches: Pick<BenchActions, 'start'>;
}

/** A user kernel, and the scenario whose folder contains it. */
interface EditedKernel {
  readonly beside: FileRef | null;
  readonly id: string;
}

export class KernelEditing {
  readonly store: StoreApi<EditingState> = createStore(() => emptyState);
  readonly #parts: EditingParts;
  /** A new object whenever a variant is shown, even if it is the same one. */
  #shown: EditedKernel | null = null;
  /** Benchmark in progress and its kernel. */
  #bench: { readonly kernel: EditedKernel; readonly id: string } | null = null;
  /** Saves run one after the other, so that the file ends with the newest text. */
  #lastSave: Promise<unknown> = Promise.resolve();

  constructor(parts: EditingParts) {
    this.#parts = parts;
  }

  /** Reads and shows a kernel; null for none. */
  show(place: EditedKernel | null): void {
    this.#shown = place === null ? null : { ...place };
    this.#bench = null;
    this.store.setState(emptyState);
    const shown = this.#shown;
    if (shown === null) return;
    this.#parts.client.call('userKernels.read', { ...shown }).then(
      ({ text, info }) => this.#set(shown, { read: { id: shown.id, text }, saved: text, info }),
      (error: unknown) => this.#set(shown, { message: errorText(error) }),
    );
  }

  /** Watches for the end of benchmarks until the returned function is called. */
  follow(): () => void {
    return this.#parts.stores.comparison.subscribe(() => this.#follow());
  }

  async save(text: string): Promise<boolean> {
    const shown = this.#shown;
    return shown !== null && this.#isFileRead && this.#save(shown, text);
  }

  /** Saves compiler options to the kernel's description. */
  async setOptions(compile: CompileOptions): Promise<void> {
    const [shown, { info }] = [this.#shown, this.store.getState()];
    if (shown === null || info === null) return;
    const { client, stores, userKernels } = this.#parts;
    try {
      const changed = await client.call('userKernels.options', { ...shown, compile, sha256: info.sha256 });
      this.#set(shown, { info: changed, message: 'Saved' });
      await userKernels.refresh();
    } catch (error) {
      stores.notices.fail(`The compiler options of ${shown.id} were not saved`, error);
    }
  }

  /** Saves and compiles the text in the editor. */
  async build(text: string): Promise<boolean> {
    const shown = this.#shown;
    return shown !== null && this.#isFileRead && this.#build(shown, text);
  }

  /** Builds, asks for trust, then benchmarks the kernel against the variant it is based on. */
  async run(text: string): Promise<void> {
    const { userKernels, benches } = this.#parts;
    const [shown, { info }] = [this.#shown, this.store.getState()];
    if (shown === null || info === null || !(await this.#build(shown, text)) || !this.#isShown(shown)) return;
    if (!(await userKernels.trust(shown.id))) {
      return this.#set(shown, { message: 'It was not run, because you have not confirmed that you trust it.' });
    }
    if (!this.#isShown(shown)) return;
    this.#set(shown, { busy: 'running' });
    const { base } = info.description;
    const { answer } = info;
    // A candidate solves a user problem, for which no shipped variants exist.
    const variants = answer === null ? [base, shown.id] : [shown.id];
    const order = {
      variants,
      external: [],
      modes: [],
      rounds: ROUNDS,
      time_s: TIME_S,
      sweep: null,
      processes: 0,
    };
    const started = await benches.start(order);
    if (started === null) return this.#set(shown, { busy: null });
    if (!this.#isShown(shown)) return;
    this.#set(shown, {
      message: answer === null ? `Running next to ${base} …` : `Running, checked against ${answer} …`,
    });
    this.#bench = { kernel: shown, id: started.id };
    this.#follow();
  }

  /** Builds, asks for trust, then runs the kernel on the scenario under compute-sanitizer. */
  async sanitize(text: string, tool: SanitizerTool): Promise<void> {
    const { client, stores, userKernels } = this.#parts;
    const shown = this.#shown;
    if (shown === null || !this.#isFileRead || !(await this.#build(shown, text)) || !this.#isShown(shown)) return;
    if (!(await userKernels.trust(shown.id))) {
      return this.#set(shown, { message: 'It was not run, because you have not confirmed that you trust it.' });
    }
    this.#set(shown, { busy: 'sanitizing', message: `Running under compute-sanitizer (${tool}); this takes longer …` });
    const scenario = stores.scenario.getState().draft;
    try {
      const found = await client.call('userKernels.sanitize', { ...shown, tool, scenario });
      this.#set(shown, { message: sanitizerSummary(found), issues: found.issues });
    } catch (error) {
      this.#set(shown, { message: errorText(error) });
    } finally {
      this.#set(shown, { busy: null });
    }
  }

  /** Exports a folder with everything needed to run the kernel on the scenario elsewhere. */
  async reproduce(text: string): Promise<void> {
    const { client, stores, userKernels } = this.#parts;
    const [shown, { saved }] = [this.#shown, this.store.getState()];
    if (shown === null || !this.#isFileRead || (text !== saved && !(await this.#save(shown, text)))) return;
    this.#set(shown, { busy: 'exporting', message: 'Exporting …' });
    const scenario = stores.scenario.getState().draft;
    try {
      // Exporting runs the program that computes the expected answer, which requires trust.
      const made = await userKernels.withTrust(() => client.call('userKernels.reproduce', { ...shown, scenario }));
      const message =
        made === null
          ? 'It was not exported, because you have not confirmed that you trust it.'
          : `Exported: ${made.folder}`;
      this.#set(shown, { message });
    } catch (error) {
      this.#set(shown, { message: errorText(error) });
    } finally {
      this.#set(shown, { busy: null });
    }
  }

  #isShown(place: EditedKernel): boolean {
    return this.#shown === place;
  }

  #set(place: EditedKernel, change: Partial<EditingState>): void {
    if (this.#isShown(place)) this.store.setState(change);
  }

  /** False while the editor still contains the text of the previous file. */
  get #isFileRead(): boolean {
    return this.store.getState().read !== null;
  }

  async #save(shown: EditedKernel, text: string): Promise<boolean> {
    const { stores, userKernels } = this.#parts;
    const saving = this.#lastSave.then(() => this.#write(shown, text));
    this.#lastSave = saving.catch(() => undefined);
    try {
      const info = await saving;
      this.#set(shown, { info, saved: text, message: 'Saved' });
      await userKernels.refresh();
      return true;
    } catch (error) {
      stores.notices.fail(`${shown.id} was not saved`, error);
      return false;
    }
  }

  /**
   * Saves the text if the file still has the version that was last read or saved here. Overwrites another version only
   * if the user confirms.
   */
  async #write(shown: EditedKernel, text: string): Promise<UserKernelInfo> {
    const { client, stores } = this.#parts;
    const sha256 = this.#isShown(shown) ? (this.store.getState().info?.sha256 ?? null) : null;
    try {
      return await client.call('userKernels.save', { ...shown, text, sha256 });
    } catch (error) {
      if (!(error instanceof BraggError) || error.code !== 'exists') throw error;
      const answer = await stores.dialogs.ask('confirm', {
        title: `Replace ${shown.id}?`,
        text: error.message,
        choices: [{ id: 'replace', label: 'Replace', tone: 'danger' }],
      });
      if (answer !== 'replace') throw error;
      return client.call('userKernels.save', { ...shown, text, sha256: null });
    }
  }

  async #build(shown: EditedKernel, text: string): Promise<boolean> {
    const { saved } = this.store.getState();
    this.#set(shown, { busy: 'building', message: 'Compiling …', outcome: null, printed: null });
    try {
      if (text !== saved && !(await this.#save(shown, text))) return false;
      const compile = () => this.#parts.client.call('userKernels.build', { ...shown });
      const { issues, built, seconds } = await compile().catch(async (error: unknown) => {
        if (!(error instanceof BraggError) || error.code !== 'untrusted' || !this.#isShown(shown)) throw error;
        if (!(await this.#parts.userKernels.trust(shown.id))) {
          throw new BraggError('untrusted', 'It was not compiled, because you have not confirmed that you trust it.');
        }
        return compile();
      });
      const errors = issues.filter(({ severity }) => severity === 'error').length;
      const warnings = issues.length - errors;
      const after = warnings === 0 ? '' : `, ${countText(warnings, 'warning')}`;
      const message = built
        ? `Compiled in ${seconds.toFixed(1)} s${after}`
        : `Does not compile: ${countText(errors, 'error')}`;
      this.#set(shown, { issues, message });
      return built;
    } catch (error) {
      this.#set(shown, { message: error instanceof BraggError ? error.message : errorText(error) });
      return false;
    } finally {
      this.#set(shown, { busy: null });
    }
  }

  /** Shows the verdict when the benchmark has ended. */
  #follow(): void {
    const bench = this.#bench;
    if (bench === null) return;
    const { client, stores } = this.#parts;
    const state = benchOf(stores.comparison.getState(), bench.id)?.state ?? null;
    if (state === null || state === 'queued' || state === 'running') return;
    this.#bench = null;
    const { kernel, id } = bench;
    this.#set(kernel, { busy: null, message: '' });
    client.call('bench.session', { bench: id }).then(
      ({ session }) => this.#set(kernel, { outcome: outcomeOf(session, kernel.id) }),
      (error: unknown) => this.#set(kernel, { outcome: { kind: 'refused', reason: errorText(error) } }),
    );
    client.call('userKernels.printed', { ...kernel }).then(
      (printed) => this.#set(kernel, { printed }),
      () => undefined,
    );
  }
}

export interface EditingContext extends EditingState {
  readonly actions: Pick<KernelEditing, 'save' | 'build' | 'run' | 'setOptions' | 'sanitize' | 'reproduce'>;
}

/** `id`: id of a user kernel, or null. */
export function useEditing(id: string | null): EditingContext {
  const { client, stores, userKernels, benches } = useWorkbench();
  const beside = useSelected(stores.userKernels, (state) => state.scenarioFile);
  const [editing] = useState(() => new KernelEditing({ client, stores, userKernels, benches }));
  const state = useSelected(editing.store, (all) => all);
  useEffect(() => editing.show(id === null ? null : { beside, id }), [editing, beside, id]);
  useEffect(() => editing.follow(), [editing]);
  return { ...state, actions: editing };
}
