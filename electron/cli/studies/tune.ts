/** `braggbench study run` for a study with a search. Also `study ask`, in which another program selects the points. */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Session } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import type { PlanHead, PlanLine, PointResult } from '../../contract/study/index.ts';
import { configuredName, parseConfigured } from '../../contract/tuning/configured.ts';
import { measuredTime } from '../../domain/measured.ts';
import { shortNumberText } from '../../domain/numbers.ts';
import { reportRows } from '../../host/api/benches.ts';
import {
  BEST_FILE,
  lockStudy,
  type PointMeasurer,
  type Search,
  type TuneOutcome,
  throwIfSearch,
  timeOf,
  tuneLocally,
  variantOf,
} from '../../host/api/studies.ts';
import type { Host } from '../../host/index.ts';
import { flagValue, hasFlag } from '../arguments.ts';
import { assetsFolder } from '../assets-folder.ts';
import { ProgressBar } from '../progress-bar.ts';
import { benchReport } from '../reports/bench-report.ts';
import type { TableStyle } from '../reports/session-table.ts';
import { obtainTrust } from '../user-kernels.ts';
import { type ExitCode, exitCodes, type VerbContext } from '../verb.ts';
import { type OpenedStudy, printOutcome, progressText } from './run.ts';

/** Asks for trust in user kernels among the tuned variants. None is compiled without it. */
async function trustTunedKernels(
  context: VerbContext,
  host: Host,
  { folder: { head, study } }: OpenedStudy,
): Promise<void> {
  for (const axis of study.axes) {
    if (axis.kind !== 'tunables') continue;
    for (const written of axis.variants) {
      const id = written.replace(/^\.[\\/]/, '');
      await host.userKernels.openFromFolders([head.bases[0]?.folder ?? null], id);
      await obtainTrust(context, host, id);
    }
  }
}

async function printBestConfigurations({ terminal }: VerbContext, session: Session): Promise<void> {
  const look: TableStyle = { style: (name, text) => terminal.style(name, text), wide: false };
  for (const [i, report] of session.reports.entries()) {
    for (const line of benchReport(report, look, session, await reportRows(session, i))) terminal.print(line);
  }
}

interface TuningOptions {
  readonly search: Search;
  readonly steer?: (lines: readonly PlanLine[], measure: PointMeasurer) => Promise<void>;
  readonly silent?: boolean;
}

async function tuneStudy(
  context: VerbContext,
  host: Host,
  opened: OpenedStudy,
  tuning: TuningOptions,
): Promise<TuneOutcome> {
  const { folder, budget } = opened;
  const { parsed, terminal, signal } = context;
  const lock = await lockStudy(folder);
  try {
    await trustTunedKernels(context, host, opened);
    await folder.clearStopRequest();
    const progress = new ProgressBar(terminal);
    let fastest = Number.POSITIVE_INFINITY;
    return await tuneLocally({
      ...{ host, folder, budget, signal, assetsFolder: assetsFolder(), job: null, search: tuning.search },
      ...(tuning.steer === undefined ? {} : { steer: tuning.steer }),
      retry: hasFlag(parsed, 'retry'),
      onMeasured: (result) => {
        fastest = Math.min(fastest, timeOf(result) ?? Number.POSITIVE_INFINITY);
      },
      onProgress: (now) => {
        const best = Number.isFinite(fastest) ? `  fastest ${measuredTime(fastest)}` : '';
        if (tuning.silent !== true) progress.draw(`${progressText(now)}${best}`);
      },
    }).finally(() => progress.clear());
  } finally {
    lock.release();
  }
}

export async function runTuning(
  context: VerbContext,
  host: Host,
  opened: OpenedStudy,
  search: Search,
): Promise<ExitCode> {
  const { folder } = opened;
  const on = flagValue(context.parsed, 'on');
  throwIfSearch(search, on === undefined ? null : { name: on });
  const before = (await folder.finishedPoints()).size;
  const outcome = await tuneStudy(context, host, opened, { search });
  const { best, ...told } = outcome;
  printOutcome(context, folder, told, hasFlag(context.parsed, 'retry') ? 0 : before);
  if (best !== null && !hasFlag(context.parsed, 'json')) {
    context.terminal.print('');
    await printBestConfigurations(context, best);
    context.terminal.print(`Saved as ${folder.folder}/${BEST_FILE}`);
  }
  return outcome.end === 'cancelled' ? exitCodes.interrupted : exitCodes.done;
}

/** Input line of `study ask`: a configuration given by its constants, a point given by its id, or the end. */
const askSchema = z.union([
  z.strictObject({
    id: z.union([z.string(), z.number()]).optional(),
    variant: z.string().optional(),
    configuration: z.record(z.string(), z.number()),
  }),
  z.strictObject({ id: z.union([z.string(), z.number()]).optional(), point: z.string() }),
  z.strictObject({ stop: z.literal(true) }),
]);

/** Search space for the other program: each variant with all values of its constants. */
function spaceLine(head: PlanHead, lines: readonly PlanLine[]): object {
  const variants = new Map<string, Map<string, Set<number>>>();
  for (const line of lines) {
    const name = variantOf(head, line);
    const { variant, configuration } = parseConfigured(name) ?? { variant: name, configuration: {} };
    const own = variants.get(variant) ?? new Map<string, Set<number>>();
    variants.set(variant, own);
    for (const [constant, value] of Object.entries(configuration))
      own.set(constant, (own.get(constant) ?? new Set()).add(value));
  }
  const parameters = (own: ReadonlyMap<string, ReadonlySet<number>>): object =>
    Object.fromEntries([...own].map(([name, values]) => [name, [...values].sort((a, b) => a - b)]));
  return {
    space: {
      points: lines.length,
      variants: Object.fromEntries([...variants].map(([variant, own]) => [variant, parameters(own)])),
    },
  };
}

function resultLine(result: PointResult): object {
  const time = timeOf(result);
  const measure = result.measures.find(({ name }) => name === 'time_s');
  const status = result.status === 'failed' ? 'failed' : time === null ? 'wrong' : 'right';
  return {
    ...{ point: result.id, status, value: time, unit: 's' },
    ...(time === null ? {} : { low: measure?.low ?? null, high: measure?.high ?? null }),
    ...(result.error === null ? {} : { message: result.error.message }),
  };
}

function planLineFinder(head: PlanHead, lines: readonly PlanLine[]) {
  const byName = new Map(lines.map((line) => [variantOf(head, line), line]));
  const byId = new Map(lines.map((line) => [line.id, line]));
  const variants = [...new Set([...byName.keys()].map((name) => name.replace(/\[.*$/, '')))];
  return (requested: Exclude<z.infer<typeof askSchema>, { stop: true }>): PlanLine | null => {
    if ('point' in requested) return byId.get(requested.point) ?? null;
    const variant = requested.variant ?? (variants.length === 1 ? variants[0] : undefined);
    return variant === undefined
      ? null
      : (byName.get(configuredName({ variant, configuration: requested.configuration })) ?? null);
  };
}

/**
 * Ask-and-tell protocol of one JSON document per line. It writes the search space first, then the times of each
 * configuration that it reads.
 */
export async function serveTuner(context: VerbContext, host: Host, opened: OpenedStudy): Promise<ExitCode> {
  const { folder } = opened;
  const { search } = folder.study;
  if (search === undefined)
    throw new BraggError('invalid', `${folder.folder} has no tuning search; this command needs a study with search`);
  const say = (line: object): void => context.terminal.print(JSON.stringify(line));
  const outcome = await tuneStudy(context, host, opened, {
    search,
    silent: true,
    steer: async (lines, measure) => {
      say(spaceLine(folder.head, lines));
      const find = planLineFinder(folder.head, lines);
      const incoming = createInterface({ input: process.stdin });
      const close = (): void => incoming.close();
      context.signal.addEventListener('abort', close, { once: true });
      for await (const text of incoming) {
        if (text.trim() === '') continue;
        const asked = readLine(text);
        if (asked === null) {
          say({ status: 'not understood', allowed: '{"configuration": {…}}, {"point": "…"} or {"stop": true}' });
          continue;
        }
        if ('stop' in asked) break;
        const id = asked.id === undefined ? {} : { id: asked.id };
        const line = find(asked);
        const result = line === null ? null : await measure(line);
        if (line === null) say({ ...id, status: 'no such point' });
        else if (result === null) {
          say({ ...id, status: 'over' });
          break;
        } else say({ ...id, ...resultLine(result) });
      }
      incoming.close();
    },
  });
  const entries = outcome.best?.reports[0]?.entries ?? [];
  say({
    end: outcome.end,
    measured: outcome.done + outcome.failed,
    best: entries.flatMap((entry) =>
      entry.status === 'measured'
        ? [
            {
              variant: entry.label,
              value: entry.time_s,
              unit: 's',
              ratio: shortNumberText(entry.ratio.value, 4),
              verdict: entry.verdict,
            },
          ]
        : [],
    ),
  });
  return outcome.end === 'cancelled' ? exitCodes.interrupted : exitCodes.done;
}

function readLine(text: string): z.infer<typeof askSchema> | null {
  try {
    const read = askSchema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}
