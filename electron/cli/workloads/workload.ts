/**
 * Interface that the command-line part of each workload implements; index.ts lists the workloads. Also runs a scenario
 * of any workload to its end, and selects the variants for `--factorial`.
 */
import { BraggError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { ProgressDetail } from '../../contract/run.ts';
import { runnableDesigns, type ValidReading } from '../../host/api/benches.ts';
import {
  type AnyRunData,
  allVariants,
  engineErrorWithIssue,
  requireWorkload,
  type ScenarioReading,
} from '../../host/api/scenarios.ts';
import type { Host, NativeAddon } from '../../host/index.ts';
import { type FlagSpec, flagValue, hasFlag, listFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { ifExists, withOverwriteAdvice } from '../output-file.ts';
import { ProgressBar, type ProgressTexts, progressLine } from '../progress-bar.ts';
import type { VariantAdapter } from '../read-scenario.ts';
import type { Column } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { checkedUserKernel, userKernelNotes, verdictLines } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';

/** Properties of a variant that the engines of all workloads report. */
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
  /** Variants with all properties that the engine reports, for --json. */
  readonly all: readonly ListedVariant[];
}

interface VariantColumn<V> extends Column {
  readonly text: (variant: V) => string;
}

/** Formats a table of variants. Its columns are `first`, then common ones with `more` in between. */
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
  /** Adapts a scenario to the variant of --variant. */
  readonly adapt: VariantAdapter;
  /** Flags of `run` that only this workload accepts, and the check of their values. */
  readonly flags?: readonly FlagSpec[];
  readonly checkFlags?: (parsed: ParsedArguments) => void;
  /** Implements `braggbench run`: solves the scenario, saves the result to `place` and prints it. */
  readonly run: (context: VerbContext, host: Host, reading: ValidReading, place: NamedFile | null) => Promise<ExitCode>;
  /** Variants that `bench` measures by default, if they can run. */
  readonly usual: (
    addon: NativeAddon,
    reading: ValidReading,
  ) => readonly Pick<ListedVariant, 'id' | 'workload' | 'available'>[];
  readonly variants: (addon: NativeAddon) => VariantList;
  /**
   * Implements `braggbench compare` for run files, if this workload has a comparison beyond the common rows; otherwise
   * null.
   */
  readonly compare: ((context: VerbContext, runs: readonly ReadRun[]) => void) | null;
}

async function startRun({ parsed }: VerbContext, host: Host, reading: ScenarioReading): Promise<string> {
  try {
    return (
      await host.runs.start({
        reading,
        name: parsed.operands[0] ?? '',
        trace: hasFlag(parsed, 'trace'),
        // Pictures are used only if the run is saved.
        pictures: flagValue(parsed, 'out') !== undefined,
        ...((flagValue(parsed, 'gpu') !== undefined || hasFlag(parsed, 'trace')) && { onGrid: true }),
      })
    ).id;
  } catch (error) {
    throw engineErrorWithIssue(reading, error);
  }
}

/**
 * Starts a run, draws its progress, and waits for its end. Aborting the signal cancels the run. Throws the error of a
 * failed run.
 */
async function runToEnd<W extends ProgressDetail['workload']>(
  context: VerbContext,
  host: Host,
  reading: ScenarioReading & { readonly kind: W },
  words: ProgressTexts<W>,
): Promise<string> {
  const { terminal, signal } = context;
  const id = await startRun(context, host, reading);
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
    const ended = await host.runs.waitForEnd(id);
    // If a device fails during the run, do not throw: the completed part is printed and saved first.
    if (ended.error !== null && ended.wall_s === null) throw BraggError.fromWire(ended.error);
    return id;
  } finally {
    stop();
    signal.removeEventListener('abort', cancel);
    progress.clear();
  }
}

/** Saves the run and returns its path, or the reason why it was not saved. The result is printed in both cases. */
async function saveRunFile(
  { parsed }: VerbContext,
  host: Host,
  id: string,
  { file }: NamedFile,
): Promise<{ readonly file: string } | { readonly error: BraggError }> {
  try {
    return { file: (await host.call('run.save', { run: id, file, ifExists: ifExists(parsed) })).place };
  } catch (thrown) {
    const error = withOverwriteAdvice(thrown);
    if (error instanceof BraggError) return { error };
    throw error;
  }
}

/** Outcome of a run. */
interface RunOutcome {
  /** JSON document for --json. */
  readonly document: object;
  /** Lines of the text report. `file` is the path of the saved run. */
  readonly lines: (file: string | null, style: Style) => readonly string[];
  readonly status: string;
  /** Error that ended the run early; null if there was none. */
  readonly error: string | null;
}

/** Fields added to the JSON document, and lines added to the text report. */
export interface AdditionalOutput {
  readonly document: object;
  readonly lines: readonly string[];
}

type Style = (...styled: Parameters<Terminal['style']>) => string;

/** Progress and result texts of a workload whose runs compute a result. */
export interface RunTexts<W extends ProgressDetail['workload']> {
  readonly workload: W;
  readonly words: ProgressTexts<W>;
  readonly describeRun: (
    run: WorkloadRunData<W>,
    reading: Extract<ScenarioReading, { readonly kind: W }>,
  ) => RunOutcome;
  /** Computes further results that flags request. */
  readonly more?: (context: VerbContext, host: Host, reading: ScenarioReading) => Promise<AdditionalOutput>;
}

type WorkloadRunData<W> = Extract<AnyRunData, { readonly workload: W }>;

/** Creates the `run` of such a workload. It prints the result even if that is wrong or cannot be saved. */
export function createRun<W extends ProgressDetail['workload']>({
  workload,
  words,
  describeRun,
  more,
}: RunTexts<W>): Workload['run'] {
  return async (context, host, any, place) => {
    const { parsed, terminal } = context;
    if (any.kind !== workload) throw new Error(`a scenario of kind ${any.kind} was passed to ${workload}`);
    const reading = any as Extract<ScenarioReading, { readonly kind: W }>;
    const id = await runToEnd(context, host, reading, words);
    const run = requireWorkload(workload, await host.runs.data(id), id) as WorkloadRunData<W>;
    const report = describeRun(run, reading);
    const saveOutcome = place === null ? null : await saveRunFile(context, host, id, place);
    const file = saveOutcome !== null && 'file' in saveOutcome ? saveOutcome.file : null;
    const further = (await more?.(context, host, reading)) ?? { document: {}, lines: [] };
    const verdict = await checkedUserKernel(context, host, reading, run);
    if (hasFlag(parsed, 'json')) {
      terminal.printJson({
        ...report.document,
        ...further.document,
        ...(verdict === null ? {} : { checks: verdict, printed: host.userKernels.printedOutput(run.variant) }),
      });
      if (file !== null) terminal.printNote(`Saved as ${file}`);
    } else {
      const style: Style = (name, text) => terminal.style(name, text);
      for (const line of report.lines(file, style)) terminal.print(line);
      for (const line of further.lines) terminal.print(line);
      if (verdict !== null) for (const line of ['', ...verdictLines(verdict, style)]) terminal.print(line);
      for (const line of userKernelNotes(host, run.variant)) terminal.print(line);
    }
    const fault = saveOutcome !== null && 'error' in saveOutcome ? saveOutcome.error.message : report.error;
    if (fault !== null) terminal.printNote(`${terminal.styleNote('red', 'error')} ${fault}`);
    if (fault !== null || (verdict?.right === false && !verdict.doubtful)) return exitCodes.failed;
    return report.status === 'done' ? exitCodes.done : exitCodes.interrupted;
  };
}

interface BenchName {
  readonly workload: string;
  readonly bench: string;
}

const benchName = ({ workload, bench }: BenchName): string => (bench === '' ? workload : `${workload}/${bench}`);

/**
 * Labels of the variants in factorial designs that can run here, on a GPU if there is one. Null without the flag
 * --factorial.
 */
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
  // Prefer a GPU, because problem sizes that suit it would need minutes on the CPU.
  const gpu = able.filter(({ device }) => device === 'cuda');
  const chosen = gpu.length > 0 ? gpu : able;
  if (chosen.length > 0) return [...new Set(chosen.flatMap(({ labels }) => labels))];
  const here = known.filter((design) => benchName(design) === benchName(place));
  throw here.length === 0
    ? new BraggError(
        'invalid',
        `--factorial: no variants of ${benchName(place)} differ by single optimisations; allowed: ${[...new Set(known.map(benchName))].join(', ')}`,
      )
    : new BraggError(
        'unsupported',
        `--factorial: no two variants that differ in one of ${here.map(({ title }) => title).join('; ')} can run on this machine`,
      );
}
