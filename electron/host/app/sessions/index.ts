/**
 * Reads session files and adds the factorial effects of their variants and the verdicts on claims. The time for this is
 * proportional to the size of the file, so it runs on a worker thread.
 *
 * For a file of another type that the user named, the error states its type and the command that opens it.
 */
import { z } from 'zod';
import { SESSION_FORMAT, type Session, sessionReportSchema, sessionSchema } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { isScenarioKind, parsePath, withValueAt } from '../../../contract/scenario/index.ts';
import { readRegularFileUpTo } from '../../io/files/plain-file.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { judgeTaskClaims } from '../../model/bench/claim-results.ts';
import { applicableClaims, type ClaimCatalogue, claimsFor, readClaimCatalogue } from '../../model/bench/claims.ts';
import { addFactorialEffects, type FactorialDesign, readDesigns } from '../../model/bench/factorial/effects.ts';
import { collectMeasurements } from '../../model/bench/report-claims.ts';
import { parseSessionFile, readSessionFileText } from '../../model/bench/session-file.ts';
import { claimedValues } from '../../workloads/index.ts';

/** Parses a complete session. `path` names the file in messages. Throws BraggError `foreign-file`. */
export function parseSession(text: string, path: string): Session {
  return parseSessionFile(text, path, [SESSION_FORMAT], sessionSchema);
}

const { format, format_version, workload, created, sweep } = sessionSchema.shape;
const { bench, scenario, machine } = sessionReportSchema.shape;
const label = z.string();

/** The fields of a session that lists need. Complete sessions match this schema too. */
const overviewSchema = z.object({
  ...{ format, format_version, workload, created, sweep },
  reports: z.array(
    z.object({
      ...{ bench, scenario, machine },
      entries: z.array(
        z.discriminatedUnion('status', [
          z.object({ label, status: z.literal('measured') }),
          z.object({ label, status: z.literal('refused'), reason: z.string() }),
        ]),
      ),
      external: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          reason: z.string().nullable(),
          result: z.looseObject({}).nullable(),
        }),
      ),
    }),
  ),
});
export type SessionOverview = Readonly<z.infer<typeof overviewSchema>>;

/**
 * Validates only the fields that lists need, in a tenth of the time of `parseSession`. Throws BraggError
 * `foreign-file`.
 */
function parseOverview(text: string, path: string): SessionOverview {
  return parseSessionFile(text, path, [SESSION_FORMAT], overviewSchema);
}

/** Removes recordings, because their spans are many times as large as the results. */
export function withoutRecordings(session: Session): Session {
  return { ...session, reports: session.reports.map(({ recordings: _, ...report }) => report) };
}

/** Current factorial designs and claims. They replace those recorded in a session. */
export interface CurrentRules {
  readonly designs: readonly FactorialDesign[];
  readonly claims: ClaimCatalogue;
}

export async function readCurrentRules(assetsFolder: string): Promise<CurrentRules> {
  const [designs, claims] = await Promise.all([readDesigns(assetsFolder), readClaimCatalogue(assetsFolder)]);
  return { designs, claims };
}

/**
 * Returns the scenario of a report. In a recorded sweep, every report contains the scenario at the first value, so the
 * report's own value is set here.
 */
export function documentIn({ reports, sweep }: Session, index: number): unknown {
  const document = reports[index]?.document ?? null;
  const value = sweep?.values[index];
  if (document === null || sweep === null || value === undefined) return document;
  return sweep.path.split('+').reduce((swept: unknown, each) => {
    const at = parsePath(each);
    return at === null ? swept : withValueAt(swept, at, value);
  }, document);
}

function withClaims(session: Session, catalogue: ClaimCatalogue): Session {
  const { workload } = session;
  return {
    ...session,
    reports: session.reports.map((report, i) => {
      const values = claimedValues(documentIn(session, i)) ?? { numbers: {}, words: {} };
      const claims = applicableClaims(claimsFor(catalogue, { workload, bench: report.bench }), values);
      return { ...report, claims: judgeTaskClaims(claims, collectMeasurements(report)) };
    }),
  };
}

/**
 * The driver's error if a graph is launched during a capture, which means that the variant already replays its own
 * graph.
 */
const GRAPH_IN_CAPTURE = /^cuGraphLaunch .*CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED/;

/** Replaces the driver's error in older sessions by the reason that variants state today. */
function withReasons(session: Session): Session {
  const reasonOf = (reason: string | null): string | null =>
    reason !== null && GRAPH_IN_CAPTURE.test(reason) ? 'it is already a graph' : reason;
  return {
    ...session,
    reports: session.reports.map((report) => ({
      ...report,
      entries: report.entries.map((entry) =>
        entry.status === 'refused'
          ? entry
          : { ...entry, modes: entry.modes.map((mode) => ({ ...mode, reason: reasonOf(mode.reason) })) },
      ),
    })),
  };
}

/** Adds the effects of optimisations, alone and together, and the verdicts on claims, by the current rules. */
export function deriveSession(saved: Session, { designs, claims }: CurrentRules): Session {
  return addFactorialEffects(withClaims(withReasons(withoutRecordings(saved)), claims), designs);
}

/** Far above the size of any recorded session (0.2 MB). Pages receive sessions completely, so the size is limited. */
export const MAX_SESSION_BYTES = 4 * 2 ** 20;

/** A session exactly as stored in its file, and a copy without recordings. */
export interface ReadSession {
  readonly saved: Session;
  readonly outline: Session;
}

interface SessionText {
  readonly text: string;
  readonly path: string;
}

/** Parses the text of a session. Throws BraggError `foreign-file`. */
export const readSessionText = defineThreadTask('read a session', ({ text, path }: SessionText): ReadSession => {
  if (text.length > MAX_SESSION_BYTES) throw sessionTooLargeError(path);
  const saved = parseSession(text, path);
  return { saved, outline: withoutRecordings(saved) };
});

const readOverviewText = defineThreadTask(
  'read the overview of a session',
  ({ text, path }: SessionText): SessionOverview => parseOverview(text, path),
);

/** Adds the effects of optimisations and the verdicts on claims. */
export const makeSession = defineThreadTask(
  'make a session',
  ({ saved, current }: { readonly saved: Session; readonly current: CurrentRules }): Session =>
    deriveSession(saved, current),
);

function sessionTooLargeError(path: string): BraggError {
  const most = `allowed: ${MAX_SESSION_BYTES / 2 ** 20} MiB`;
  return new BraggError(
    'foreign-file',
    `${path} is too large to be shown; ${most}. Use braggbench replay for larger ones.`,
  );
}

async function textOf(file: string, path: string): Promise<SessionText> {
  const bytes = await readRegularFileUpTo(file, MAX_SESSION_BYTES, path).catch((error: unknown) => {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing ? new BraggError('not-found', `The file ${path} does not exist.`) : error;
  });
  if (bytes === null) throw sessionTooLargeError(path);
  return { text: bytes.toString('utf8'), path };
}

/** Reads a session file. `path` names the file in messages. Throws BraggError `not-found` and `foreign-file`. */
export const readSessionFile = async (file: string, path: string): Promise<ReadSession> =>
  readSessionText(await textOf(file, path));

/** Reads only the fields of a session that lists need. */
export const readOverviewFile = async (file: string, path: string): Promise<SessionOverview> =>
  readOverviewText(await textOf(file, path));

/** First bytes of an HDF5 file, decoded as UTF-8. The first byte is invalid and becomes U+FFFD. */
const HDF5 = '\uFFFDHDF\r\n\x1A\n';

interface ForeignSession {
  readonly what: string;
  readonly verb: string;
}

function detectOtherFormat(text: string): ForeignSession | null {
  if (text.startsWith(HDF5)) return { what: 'HDF5, the format of saved runs', verb: 'compare' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const kind = 'kind' in value ? value.kind : null;
  if (isScenarioKind(kind)) return { what: 'a scenario', verb: 'bench' };
  if (kind === 'study') return { what: 'a study', verb: 'study run' };
  return 'traceEvents' in value ? { what: 'a timeline', verb: 'trace' } : null;
}

/** Reads a session file that the user named. Throws BraggError if it is not a session. */
export async function readSessionNamed(file: string): Promise<Session> {
  const text = await readSessionFileText(file);
  try {
    return parseSession(text, file);
  } catch (error) {
    const other = detectOtherFormat(text);
    if (other === null) throw error;
    const { what, verb } = other;
    throw new BraggError('foreign-file', `${file} is ${what}, not a session. Open it with: braggbench ${verb} ${file}`);
  }
}
