/**
 * Command-line side of a workload, in addition to its host side. One folder each; index.ts lists them.
 *
 * Runs a scenario of any workload and waits for its end.
 *
 * `--factorial`: variants that have a benchmark's optimisations one by one and together.
 */
import { BraggError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { ProgressDetail } from '../../contract/run.ts';
import { runnableDesigns, type ValidReading } from '../../host/api/benches.ts';
import {
  type AnyRunData,
  allVariants,
  engineRefusal,
  openedAs,
  type ScenarioReading,
} from '../../host/api/scenarios.ts';
import type { Host, NativeAddon } from '../../host/index.ts';
import { type FlagSpec, flagValue, hasFlag, listFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { ifExists, withRemedy } from '../output-file.ts';
import { ProgressBar, type ProgressWords, progressLine } from '../progress-bar.ts';
import type { VariantFitter } from '../read-scenario.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { checkedUserKernel, userKernelNotes, verdictLines } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';

/** Engine's description of a variant, common to all workloads. */
interface ListedVariant {
  readonly id: string;
  readonly workload: string;
  readonly device: string;
  readonly buildsOn: string | null;
  readonly changes: string;
  readonly available: boolean;
  readonly reason: string | null;
}

export interface VariantList {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** All fields of the engine, for scripts. */
  readonly all: readonly ListedVariant[];
}

interface VariantColumn<V> extends Column {
  readonly text: (variant: V) => string;
}

/** Table of variants with the columns of every workload; `more` follows in the middle, `first` precedes them. */
export function variantList<V extends ListedVariant>(
  all: readonly V[],
  more: readonly VariantColumn<V>[],
  first: readonly VariantColumn<V>[] = [],
): VariantList {
  const columns: readonly VariantColumn<V>[] = [
    ...first,
    { title: 'Variant', text: ({ id }) => id },
    { title: 'Device', text: ({ device }) => device },
    ...more,
    { title: 'Builds on', text: ({ buildsOn }) => buildsOn ?? '–' },
    { title: 'What it changes', text: ({ changes }) => changes },
  ];
  return { columns, rows: all.map((variant) => columns.map(({ text }) => text(variant))), all };
}

export interface ReadRun {
  readonly file: string;
  readonly run: AnyRunData;
}

export interface Workload {
  /** Changes of scenarios by --variant. */
  readonly fit: VariantFitter;
  /** Flags of `run` for this workload only, and the check of their values. */
  readonly flags?: readonly FlagSpec[];
  readonly checkFlags?: (parsed: ParsedArguments) => void;
  /** `braggbench run`: solves the scenario, saves the result at `place` and prints it. */
  readonly run: (context: VerbContext, host: Host, reading: ValidReading, place: NamedFile | null) => Promise<ExitCode>;
  /** Variants that are measured by default, if they can run. */
  readonly usual: (
    addon: NativeAddon,
    reading: ValidReading,
  ) => readonly Pick<ListedVariant, 'id' | 'workload' | 'available'>[];
  readonly variants: (addon: NativeAddon) => VariantList;
  /** `braggbench compare` of run files alone, if this workload compares more than the common rows. Null otherwise. */
  readonly compare: ((context: VerbContext, runs: readonly ReadRun[]) => void) | null;
}

async function start({ parsed }: VerbContext, host: Host, reading: ScenarioReading): Promise<string> {
  try {
    return (
      await host.runs.start({
        reading,
        name: parsed.operands[0] ?? '',
        trace: hasFlag(parsed, 'trace'),
        // Pictures are needed only if the run is saved.
        pictures: flagValue(parsed, 'out') !== undefined,
        ...((flagValue(parsed, 'gpu') !== undefined || hasFlag(parsed, 'trace')) && { onGrid: true }),
      })
    ).id;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

/**
 * Starts the run, draws its progress, and waits for its end. An aborted signal cancels it. Throws the error of a failed
 * run.
 */
async function solve<W extends ProgressDetail['workload']>(
  context: VerbContext,
  host: Host,
  reading: ScenarioReading & { readonly kind: W },
  words: ProgressWords<W>,
): Promise<string> {
  const { terminal, signal } = context;
  const id = await start(context, host, reading);
  const cancel = (): void => {
    host.runs.cancel(id);
  };
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  const progress = new ProgressBar(terminal);
  const stop = host.runs.watchProgress(id, {
    offer: (make) => {
      const line = progressLine(make(), words);
      if (line !== null) progress.draw(line);
    },
    end: () => undefined,
  });
  try {
    const ended = await host.runs.ended(id);
    // A device may fail during the run: the finished part is printed and saved before the error.
    if (ended.error !== null && ended.wall_s === null) throw BraggError.fromWire(ended.error);
    return id;
  } finally {
    stop();
    signal.removeEventListener('abort', cancel);
    progress.clear();
  }
}

/** Path of the saved run, or the reason why it was not saved; the result is printed in both cases. */
async function saveRunFile(
  { parsed }: VerbContext,
  host: Host,
  id: string,
  { file }: NamedFile,
): Promise<{ readonly file: string } | { readonly error: BraggError }> {
  try {
    return { file: (await host.call('run.save', { run: id, file, ifExists: ifExists(parsed) })).place };
  } catch (thrown) {
    const error = withRemedy(thrown);
    if (error instanceof BraggError) return { error };
    throw error;
  }
}

/** Outcome of a run. */
interface RunOutcome {
  /** JSON document for scripts. */
  readonly document: object;
  /** Lines for people. `file`: path of the saved run. */
  readonly lines: (file: string | null, style: Style) => readonly string[];
  readonly status: string;
  /** Error that stopped the run early. */
  readonly error: string | null;
}

/** Additional fields of the document, and lines after those of the run. */
export interface AdditionalOutput {
  readonly document: object;
  readonly lines: readonly string[];
}

type Style = (...styled: Parameters<Terminal['style']>) => string;

/** Progress and result texts of a workload whose runs are computed once. */
export interface SolvingTexts<W extends ProgressDetail['workload']> {
  readonly workload: W;
  readonly words: ProgressWords<W>;
  readonly tell: (run: WorkloadRunData<W>, reading: Extract<ScenarioReading, { readonly kind: W }>) => RunOutcome;
  /** Further results that flags request, in addition to the run. */
  readonly more?: (context: VerbContext, host: Host, reading: ScenarioReading) => Promise<AdditionalOutput>;
}

type WorkloadRunData<W> = Extract<AnyRunData, { readonly workload: W }>;

/** `braggbench run` of such a workload. The result is printed even if it is wrong or cannot be saved. */
export function runBy<W extends ProgressDetail['workload']>({
  workload,
  words,
  tell,
  more,
}: SolvingTexts<W>): Workload['run'] {
  return async (context, host, any, place) => {
    const { parsed, terminal } = context;
    if (any.kind !== workload) throw new Error(`a scenario of kind ${any.kind} was passed to ${workload}`);
    const reading = any as Extract<ScenarioReading, { readonly kind: W }>;
    const id = await solve(context, host, reading, words);
    const run = openedAs(workload, await host.runs.data(id), id) as WorkloadRunData<W>;
    const told = tell(run, reading);
    const kept = place === null ? null : await saveRunFile(context, host, id, place);
    const file = kept !== null && 'file' in kept ? kept.file : null;
    const further = (await more?.(context, host, reading)) ?? { document: {}, lines: [] };
    const verdict = await checkedUserKernel(context, host, reading, run);
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({
        ...told.document,
        ...further.document,
        ...(verdict === null ? {} : { checks: verdict, printed: host.userKernels.printed(run.variant) }),
      });
      if (file !== null) terminal.say(`Saved as ${file}`);
    } else {
      const style: Style = (name, text) => terminal.style(name, text);
      for (const line of told.lines(file, style)) terminal.print(line);
      for (const line of further.lines) terminal.print(line);
      if (verdict !== null) for (const line of ['', ...verdictLines(verdict, style)]) terminal.print(line);
      for (const line of userKernelNotes(host, run.variant)) terminal.print(line);
    }
    const fault = kept !== null && 'error' in kept ? kept.error.message : told.error;
    if (fault !== null) terminal.say(`${terminal.styleSaid('red', 'error')} ${fault}`);
    if (fault !== null || (verdict?.right === false && !verdict.doubtful)) return exitCodes.failed;
    return told.status === 'done' ? exitCodes.done : exitCodes.interrupted;
  };
}

interface BenchName {
  readonly workload: string;
  readonly bench: string;
}

const nameOf = ({ workload, bench }: BenchName): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Labels of the designs that can run here, on a GPU if there is one. Null without the flag. */
export async function factorialVariants(
  parsed: ParsedArguments,
  host: Host,
  place: BenchName,
): Promise<readonly string[] | null> {
  if (!hasFlag(parsed, 'factorial')) return null;
  if (listFlag(parsed, 'variants') !== null) {
    throw new UsageError('--factorial selects the variants itself; leave out --variants');
  }
  const { known, able } = await runnableDesigns(assetsFolder(), place, allVariants(host.addon));
  // The CPU would need minutes for problem sizes that suit a GPU.
  const gpu = able.filter(({ device }) => device === 'cuda');
  const chosen = gpu.length > 0 ? gpu : able;
  if (chosen.length > 0) return [...new Set(chosen.flatMap(({ labels }) => labels))];
  const here = known.filter((design) => nameOf(design) === nameOf(place));
  throw here.length === 0
    ? new BraggError(
        'invalid',
        `--factorial: no variants of ${nameOf(place)} differ by single optimisations; allowed: ${[...new Set(known.map(nameOf))].join(', ')}`,
      )
    : new BraggError(
        'unsupported',
        `--factorial: no two variants that differ in one of ${here.map(({ title }) => title).join('; ')} can run on this machine`,
      );
}
