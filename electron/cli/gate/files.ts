/**
 * `gate --baseline SESSION.json`: measures the current variants and compares them with an earlier session on the same
 * runner.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Ratio } from '../../contract/bench/bench-session.ts';
import type { Subject } from '../../contract/bench/benches.ts';
import type { ComparedRow } from '../../contract/bench/comparison.ts';
import { MIN_EARLIER_SESSIONS } from '../../contract/bench/history.ts';
import type { Session } from '../../contract/bench/session.ts';
import { BraggError } from '../../contract/errors.ts';
import { provenanceText } from '../../domain/provenance.ts';
import { historyOf, ratioToEarlier, sessionText } from '../../host/api/benches.ts';
import type { Host } from '../../host/index.ts';
import { UsageError } from '../arguments.ts';
import { isSessionFile, openSession, withHost } from '../subjects.ts';
import type { VerbContext } from '../verb.ts';
import {
  answerVerdict,
  type Evidence,
  type GateRequest,
  type GateResult,
  gateSession,
  isUsableBaseline,
  type JudgedVariant,
  MIN_SLOWER_SESSIONS,
  noiseFloorOf,
  timeVerdict,
} from './verdict.ts';

type Entry = Extract<Subject, { kind: 'entry' }>;

interface GateSession {
  readonly session: Session;
  readonly entries: readonly Entry[];
}

async function openGateSession(host: Host, file: string): Promise<GateSession> {
  const { info, session } = await openSession(host, file);
  const entries = info.subjects.flatMap(({ subject }) => (subject.kind === 'entry' ? [subject] : []));
  return { session, entries };
}

const findEntry = ({ entries }: GateSession, label: string): Entry | undefined =>
  entries.find((one) => one.label === label);

/** Reason why the times of two rows are not comparable; null if they are. */
function incomparableReason(before: ComparedRow, after: ComparedRow): string | null {
  const pairs = [
    ['benchmark', before.bench, after.bench],
    ['scenario', before.scenario, after.scenario],
    ['size', before.size, after.size],
    ['machine', before.provenance.machine, after.provenance.machine],
  ] as const;
  const other = pairs.find(([, a, b]) => a !== b);
  if (other === undefined && before.group !== after.group) return 'another machine with the same name';
  return other === undefined ? null : `another ${other[0]}: ${other[2] ?? 'none'}, before ${other[1] ?? 'none'}`;
}

interface ComparedPair {
  readonly ratio: Ratio;
  readonly unlike: string | null;
  readonly facts: readonly string[];
}

async function compareEntries(host: Host, before: Entry, after: Entry): Promise<ComparedPair> {
  const { rows } = await host.call('compare.rows', { subjects: [before, after], reference: 0 });
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('expected one row for each of two subjects');
  const differences = second.differences.map(({ what, reference, here }) => `${what} is ${here}, before ${reference}`);
  const facts = [
    `Baseline: ${first.scenario}; ${provenanceText(first.provenance)}`,
    `Now: ${provenanceText(second.provenance)}`,
    ...differences,
  ];
  return { ratio: second.ratio, unlike: incomparableReason(first, second), facts };
}

/** Ratio of the current time to the times of all earlier sessions; null if there are too few. */
function ratioToEarlierSessions(earlier: readonly Session[], now: Session, label: string): Ratio | null {
  const named = [...earlier, now].map((session, i) => ({ file: String(i), session }));
  const last = String(earlier.length);
  const series = historyOf(named, label).find(({ points }) => points.some(({ file }) => file === last));
  const times = (series?.points ?? []).filter(({ file }) => file !== last).map(({ time_s }) => time_s);
  const own = series?.points.find(({ file }) => file === last);
  return own === undefined ? null : ratioToEarlier(times, own.time_s);
}

interface GateBaseline {
  readonly host: Host;
  readonly before: GateSession;
  /** All sessions of the baseline, oldest first. */
  readonly earlier: readonly Session[];
  readonly sessions: readonly GateSession[];
  readonly allowed: number;
}

async function judgedVariant({ host, before, earlier, sessions, allowed }: GateBaseline, label: string) {
  const facts: string[] = [];
  const base = before.session.reports[0]?.entries.find((one) => one.label === label);
  const evidence: Evidence[] = [];
  const found = (rest: Pick<JudgedVariant, 'verdict' | 'reason'>, floor: number | null = null) => ({
    gated: { variant: label, sessions: evidence, floor, ...rest },
    facts,
  });
  for (const opened of sessions) {
    const entry = opened.session.reports[0]?.entries.find((one) => one.label === label);
    const answer = answerVerdict(entry);
    if (answer !== null) return found(answer);
    const [from, to] = [findEntry(before, label), findEntry(opened, label)];
    if (!isUsableBaseline(base) || from === undefined || to === undefined || entry?.status !== 'measured') {
      const reason = `the baseline contains no usable time: ${answerVerdict(base)?.reason ?? 'it was not measured'}`;
      return found({ verdict: 'undecided', reason });
    }
    const pair = await compareEntries(host, from, to);
    if (pair.unlike !== null)
      throw new BraggError(
        'invalid',
        `${label} cannot be compared with the baseline: ${pair.unlike}; allowed: a session of this scenario on this runner`,
      );
    facts.push(...pair.facts);
    const ratio = ratioToEarlierSessions(earlier, opened.session, label) ?? pair.ratio;
    evidence.push({ before_s: base.time_s, after_s: entry.time_s, ratio });
  }
  const [first, second] = sessions.map((one) => findEntry(one, label));
  const floor =
    first === undefined || second === undefined
      ? null
      : noiseFloorOf((await compareEntries(host, first, second)).ratio);
  return found(timeVerdict(evidence, floor, allowed), floor);
}

export async function gateAgainstFiles(
  context: VerbContext,
  files: readonly string[],
  request: GateRequest,
): Promise<GateResult> {
  const [newest] = files.slice(-1);
  if (newest === undefined || !files.every(isSessionFile))
    throw new UsageError(
      `--baseline: ${files.find((file) => !isSessionFile(file))} is not a session; allowed: files saved by bench --out`,
    );
  // Report errors in the files before minutes are spent on a session.
  const labels = await withHost(async (host) => {
    const { session } = await openSession(host, newest);
    if (session.sweep !== null)
      throw new UsageError(`--baseline: ${newest} is a session of a sweep; allowed: a session of one scenario`);
    return (session.reports[0]?.entries ?? []).flatMap(({ status, label }) => (status === 'measured' ? [label] : []));
  });
  const names = request.variants ?? labels;
  const strange = names.find((name) => !labels.includes(path.basename(name)) && !labels.includes(name));
  if (strange !== undefined)
    throw new UsageError(`--variants: the baseline did not measure ${strange}; allowed: ${labels.join(', ')}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'braggbench-gate-'));
  try {
    const written: string[] = [];
    for (let number = 0; number < MIN_SLOWER_SESSIONS; number += 1) {
      const seconds = request.seconds / MIN_SLOWER_SESSIONS;
      const session = await gateSession(context, names, request, { seconds, number });
      const file = path.join(folder, `session-${number}.json`);
      await writeFile(file, sessionText(session));
      written.push(file);
    }
    return await withHost(async (host) => {
      const sessions: GateSession[] = [];
      for (const file of written) sessions.push(await openGateSession(host, file));
      const earlier: Session[] = [];
      for (const file of files) earlier.push((await openSession(host, file)).session);
      const before = await openGateSession(host, newest);
      const variants: JudgedVariant[] = [];
      const facts = new Set<string>();
      for (const name of names) {
        const label = labels.includes(name) ? name : path.basename(name);
        const one = await judgedVariant({ host, before, earlier, sessions, allowed: request.allowed }, label);
        variants.push(one.gated);
        for (const fact of one.facts) facts.add(fact);
      }
      facts.add(
        earlier.length < MIN_EARLIER_SESSIONS
          ? 'The ratio includes drift of the machine between the sessions.'
          : `The intervals include the variation between ${earlier.length} earlier sessions.`,
      );
      return { variants, facts: [...facts] };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
