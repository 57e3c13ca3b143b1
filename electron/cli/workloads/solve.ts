/** Runs a scenario of any workload and waits for its end. */
import { BraggError } from '../../contract/errors.ts';
import type { NamedFile } from '../../contract/files.ts';
import type { ProgressDetail } from '../../contract/progress.ts';
import type { Host } from '../../host/index.ts';
import { type AnyReading, engineRefusal } from '../../host/workloads/scenarios/index.ts';
import { flagValue, hasFlag } from '../arguments.ts';
import { ifExists, withWayOut } from '../output-file.ts';
import { ProgressBar } from '../progress-bar.ts';
import { type ProgressWords, progressLine } from '../run-progress.ts';
import type { VerbContext } from '../verb.ts';

async function start({ parsed }: VerbContext, host: Host, reading: AnyReading): Promise<string> {
  try {
    return (
      await host.runs.start({
        reading,
        name: parsed.operands[0] ?? '',
        trace: hasFlag(parsed, 'trace'),
        // What is not saved is not looked at either.
        pictures: flagValue(parsed, 'out') !== undefined,
      })
    ).id;
  } catch (error) {
    throw engineRefusal(reading, error);
  }
}

/** Starts the run, draws its progress, and waits for its end. An aborted signal cancels it. Throws what made it fail. */
export async function solve<W extends ProgressDetail['workload']>(
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
export async function saved(
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
