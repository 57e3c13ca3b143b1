/** Runs a scenario of any workload and waits for its end. */
import { BraggError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { ProgressDetail } from '../../contract/progress.ts';
import type { Host } from '../../host/index.ts';
import { openedAs } from '../../host/workloads/index.ts';
import type { AnyRunData } from '../../host/workloads/run-data.ts';
import { type AnyReading, engineRefusal } from '../../host/workloads/scenarios/index.ts';
import { flagValue, hasFlag } from '../arguments.ts';
import { exitCodes } from '../exit-codes.ts';
import { ifExists, withWayOut } from '../output-file.ts';
import { ProgressBar } from '../progress-bar.ts';
import { type ProgressWords, progressLine } from '../run-progress.ts';
import type { Terminal } from '../terminal.ts';
import { checkedUserKernel, saidBy, verdictLines } from '../user-kernels.ts';
import type { VerbContext } from '../verb.ts';
import type { Workload } from './workload.ts';

async function start({ parsed }: VerbContext, host: Host, reading: AnyReading): Promise<string> {
  try {
    return (
      await host.runs.start({
        reading,
        name: parsed.operands[0] ?? '',
        trace: hasFlag(parsed, 'trace'),
        // Pictures are needed only if the run is saved.
        pictures: flagValue(parsed, 'out') !== undefined,
      })
    ).id;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

/** Starts the run, draws its progress, and waits for its end. An aborted signal cancels it. Throws what made it fail. */
async function solve<W extends ProgressDetail['workload']>(
  context: VerbContext,
  host: Host,
  reading: AnyReading & { readonly kind: W },
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
    // A device may fail on the way: what was finished is printed and saved first.
    if (ended.error !== null && ended.wall_s === null) throw BraggError.fromWire(ended.error);
    return id;
  } finally {
    stop();
    signal.removeEventListener('abort', cancel);
    progress.clear();
  }
}

/** The path of the saved run, or why it was not saved: what was computed is printed all the same. */
async function saved(
  { parsed }: VerbContext,
  host: Host,
  id: string,
  { file }: NamedFile,
): Promise<{ readonly file: string } | { readonly error: BraggError }> {
  try {
    return { file: (await host.call('run.save', { run: id, file, ifExists: ifExists(parsed) })).place };
  } catch (thrown) {
    const error = withWayOut(thrown);
    if (error instanceof BraggError) return { error };
    throw error;
  }
}

/** Outcome of a run. */
interface Told {
  /** For scripts. */
  readonly document: object;
  /** For people; `file` is where it was saved. */
  readonly lines: (file: string | null, style: Style) => readonly string[];
  readonly status: string;
  /** Error that stopped the run early. */
  readonly error: string | null;
}

/** Fields of the document, and lines behind those of the run. */
export interface More {
  readonly document: object;
  readonly lines: readonly string[];
}

type Style = (...styled: Parameters<Terminal['style']>) => string;

/** Progress and result texts of a workload whose runs are computed once. */
export interface Solving<W extends ProgressDetail['workload']> {
  readonly workload: W;
  readonly words: ProgressWords<W>;
  readonly tell: (run: RunOf<W>, reading: Extract<AnyReading, { readonly kind: W }>) => Told;
  /** Further results that flags request, in addition to the run. */
  readonly more?: (context: VerbContext, host: Host, reading: AnyReading) => Promise<More>;
}

type RunOf<W> = Extract<AnyRunData, { readonly workload: W }>;

/** `braggbench run` of such a workload. What was computed is printed also where it is not right or cannot be saved. */
export function runBy<W extends ProgressDetail['workload']>({
  workload,
  words,
  tell,
  more,
}: Solving<W>): Workload['run'] {
  return async (context, host, any, place) => {
    const { parsed, terminal } = context;
    if (any.kind !== workload) throw new Error(`a scenario of ${any.kind} came to ${workload}`);
    const reading = any as Extract<AnyReading, { readonly kind: W }>;
    const id = await solve(context, host, reading, words);
    const run = openedAs(workload, await host.runs.data(id), id) as RunOf<W>;
    const told = tell(run, reading);
    const kept = place === null ? null : await saved(context, host, id, place);
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
      for (const line of saidBy(host, run.variant)) terminal.print(line);
    }
    const fault = kept !== null && 'error' in kept ? kept.error.message : told.error;
    if (fault !== null) terminal.say(`${terminal.styleSaid('red', 'error')} ${fault}`);
    if (fault !== null || verdict?.right === false) return exitCodes.failed;
    return told.status === 'done' ? exitCodes.done : exitCodes.interrupted;
  };
}
