/**
 * The variant in the editor: its text, what the compiler says of it, and its run. Answers about a variant that is no
 * longer shown are not taken. No React.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { BraggError, type Issue } from '../../../electron/contract/errors.ts';
import type { FileRef } from '../../../electron/contract/files.ts';
import { countText } from '../../../electron/contract/units.ts';
import type { CompileOptions } from '../../../electron/contract/user-kernels/options.ts';
import { type SanitizerTool, sanitizedText } from '../../../electron/contract/user-kernels/sanitizer.ts';
import type { Printed, UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import type { BenchActions } from '../../actions/benches.ts';
import type { ActionContext } from '../../actions/context.ts';
import type { UserKernelActions } from '../../actions/user-kernels.ts';
import { benchOf } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { type Outcome, outcomeOf } from './verdict.ts';

/** Enough for a verdict; the Compare panel measures in earnest. */
const ROUNDS = 7;
const TIME_S = 20;

export interface EditingState {
  /** Content of the file when it was opened; a new object for each read. */
  readonly read: { readonly id: string; readonly text: string } | null;
  /** As it was read or saved. */
  readonly saved: string | null;
  readonly info: UserKernelInfo | null;
  readonly issues: readonly Issue[];
  readonly busy: 'building' | 'running' | 'sanitizing' | 'exporting' | null;
  /** A sentence about what was done last. */
  readonly says: string;
  readonly outcome: Outcome | null;
  readonly printed: Printed | null;
}

const nothing: EditingState = {
  read: null,
  saved: null,
  info: null,
  issues: [],
  busy: null,
  says: '',
  outcome: null,
  printed: null,
};

export interface EditingParts {
  readonly client: Pick<ActionContext['client'], 'call'>;
  readonly stores: Pick<ActionContext['stores'], 'comparison' | 'dialogs' | 'notices' | 'scenario'>;
  readonly userKernels: Pick<UserKernelActions, 'refresh' | 'trust' | 'trusting'>;
  readonly benches: Pick<BenchActions, 'start'>;
}

/** A user kernel, and the scenario in whose folder it is stored. */
interface EditedKernel {
  readonly beside: FileRef | null;
  readonly id: string;
}

export class Editing {
  readonly store: StoreApi<EditingState> = createStore(() => nothing);
  readonly #parts: EditingParts;
  /** A new object whenever a variant is shown, even if it is the same one. */
  #shown: EditedKernel | null = null;
  /** The benchmark under way, and of what. */
  #bench: { readonly of: EditedKernel; readonly id: string } | null = null;
  /** One after the other: what was typed last is what the file holds in the end. */
  #lastSave: Promise<unknown> = Promise.resolve();

  constructor(parts: EditingParts) {
    this.#parts = parts;
  }

  /** Reads it. Null: none is shown. */
  show(place: EditedKernel | null): void {
    this.#shown = place === null ? null : { ...place };
    this.#bench = null;
    this.store.setState(nothing);
    const shown = this.#shown;
    if (shown === null) return;
    this.#parts.client.call('userKernels.read', { ...shown }).then(
      ({ text, info }) => this.#set(shown, { read: { id: shown.id, text }, saved: text, info }),
      (error: unknown) => this.#set(shown, { says: errorText(error) }),
    );
  }

  /** Looks out for the end of its benchmarks, until the returned function is called. */
  follow(): () => void {
    return this.#parts.stores.comparison.subscribe(() => this.#follow());
  }

  async save(text: string): Promise<boolean> {
    const shown = this.#shown;
    return shown !== null && this.#isRead && this.#save(shown, text);
  }

  /** Writes how it is compiled into its description. */
  async setOptions(compile: CompileOptions): Promise<void> {
    const [shown, { info }] = [this.#shown, this.store.getState()];
    if (shown === null || info === null) return;
    const { client, stores, userKernels } = this.#parts;
    try {
      const changed = await client.call('userKernels.options', { ...shown, compile, sha256: info.sha256 });
      this.#set(shown, { info: changed, says: 'Saved' });
      await userKernels.refresh();
    } catch (error) {
      stores.notices.fail(`How ${shown.id} is compiled was not saved`, error);
    }
  }

  /** Compiles what is in the editor, after saving it. */
  async build(text: string): Promise<boolean> {
    const shown = this.#shown;
    return shown !== null && this.#isRead && this.#build(shown, text);
  }

  /** Builds, asks for trust, then benchmarks it against the variant it is based on. */
  async run(text: string): Promise<void> {
    const { userKernels, benches } = this.#parts;
    const [shown, { info }] = [this.#shown, this.store.getState()];
    if (shown === null || info === null || !(await this.#build(shown, text)) || !this.#isShown(shown)) return;
    if (!(await userKernels.trust(shown.id))) {
      return this.#set(shown, { says: 'It was not run: you have not said that you trust it.' });
    }
    if (!this.#isShown(shown)) return;
    this.#set(shown, { busy: 'running' });
    const { base, answer } = info.description;
    // One that was made from nothing answers another question than what it takes the place of.
    const variants = answer === '' ? [base, shown.id] : [shown.id];
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
    this.#set(shown, { says: answer === '' ? `Running beside ${base} …` : `Running, held to ${answer} …` });
    this.#bench = { of: shown, id: started.id };
    this.#follow();
  }

  /** Builds, asks for trust, and runs it on the scenario under compute-sanitizer. */
  async sanitize(text: string, tool: SanitizerTool): Promise<void> {
    const { client, stores, userKernels } = this.#parts;
    const shown = this.#shown;
    if (shown === null || !this.#isRead || !(await this.#build(shown, text)) || !this.#isShown(shown)) return;
    if (!(await userKernels.trust(shown.id))) {
      return this.#set(shown, { says: 'It was not run: you have not said that you trust it.' });
    }
    this.#set(shown, { busy: 'sanitizing', says: `Running under compute-sanitizer (${tool}), which takes its time …` });
    const scenario = stores.scenario.getState().draft;
    try {
      const found = await client.call('userKernels.sanitize', { ...shown, tool, scenario });
      this.#set(shown, { says: sanitizedText(found), issues: found.issues });
    } catch (error) {
      this.#set(shown, { says: errorText(error) });
    } finally {
      this.#set(shown, { busy: null });
    }
  }

  /** Writes a folder with all that it takes to run it on the scenario elsewhere. */
  async reproduce(text: string): Promise<void> {
    const { client, stores, userKernels } = this.#parts;
    const [shown, { saved }] = [this.#shown, this.store.getState()];
    if (shown === null || !this.#isRead || (text !== saved && !(await this.#save(shown, text)))) return;
    this.#set(shown, { busy: 'exporting', says: 'Exporting …' });
    const scenario = stores.scenario.getState().draft;
    try {
      // The program of an answer is run for it, which takes trust.
      const made = await userKernels.trusting(() => client.call('userKernels.reproduce', { ...shown, scenario }));
      const says =
        made === null ? 'It was not exported: you have not said that you trust it.' : `Exported: ${made.folder}`;
      this.#set(shown, { says });
    } catch (error) {
      this.#set(shown, { says: errorText(error) });
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

  /** Until the file is read, the editor holds another one's text. */
  get #isRead(): boolean {
    return this.store.getState().read !== null;
  }

  async #save(shown: EditedKernel, text: string): Promise<boolean> {
    const { stores, userKernels } = this.#parts;
    const saving = this.#lastSave.then(() => this.#write(shown, text));
    this.#lastSave = saving.catch(() => undefined);
    try {
      const info = await saving;
      this.#set(shown, { info, saved: text, says: 'Saved' });
      await userKernels.refresh();
      return true;
    } catch (error) {
      stores.notices.fail(`${shown.id} was not saved`, error);
      return false;
    }
  }

  /** Over the version that was read or saved here last; over another one where the user wants that. */
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
    this.#set(shown, { busy: 'building', says: 'Compiling …', outcome: null, printed: null });
    try {
      if (text !== saved && !(await this.#save(shown, text))) return false;
      const compile = () => this.#parts.client.call('userKernels.build', { ...shown });
      const { issues, built, seconds } = await compile().catch(async (error: unknown) => {
        if (!(error instanceof BraggError) || error.code !== 'untrusted' || !this.#isShown(shown)) throw error;
        if (!(await this.#parts.userKernels.trust(shown.id))) {
          throw new BraggError('untrusted', 'It was not compiled: you have not said that you trust it.');
        }
        return compile();
      });
      const errors = issues.filter(({ severity }) => severity === 'error').length;
      const warnings = issues.length - errors;
      const after = warnings === 0 ? '' : `, ${countText(warnings, 'warning')}`;
      const says = built
        ? `Compiled in ${seconds.toFixed(1)} s${after}`
        : `Does not compile: ${countText(errors, 'error')}`;
      this.#set(shown, { issues, says });
      return built;
    } catch (error) {
      this.#set(shown, { says: error instanceof BraggError ? error.message : errorText(error) });
      return false;
    } finally {
      this.#set(shown, { busy: null });
    }
  }

  /** Takes the verdict when the benchmark has ended. */
  #follow(): void {
    const bench = this.#bench;
    if (bench === null) return;
    const { client, stores } = this.#parts;
    const state = benchOf(stores.comparison.getState(), bench.id)?.state ?? null;
    if (state === null || state === 'queued' || state === 'running') return;
    this.#bench = null;
    const { of, id } = bench;
    this.#set(of, { busy: null, says: '' });
    client.call('bench.session', { bench: id }).then(
      ({ session }) => this.#set(of, { outcome: outcomeOf(session, of.id) }),
      (error: unknown) => this.#set(of, { outcome: { kind: 'refused', reason: errorText(error) } }),
    );
    client.call('userKernels.printed', { ...of }).then(
      (printed) => this.#set(of, { printed }),
      () => undefined,
    );
  }
}
