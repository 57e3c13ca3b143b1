/** `compare BEFORE AFTER… --fail-if-slower`: each variant of the first session with the same of each later one. */
import { provenanceText } from '../../renderer/base/provenance.ts';
import type { Ratio } from '../contract/bench/bench-session.ts';
import type { Subject } from '../contract/bench/benches.ts';
import type { ComparedRow } from '../contract/bench/comparison.ts';
import { fewestBefore } from '../contract/bench/history.ts';
import type { Session } from '../contract/bench/session.ts';
import { historyOf, ratioToEarlier } from '../host/app/benches/history.ts';
import type { Host } from '../host/index.ts';
import { UsageError } from './arguments.ts';
import { notMeasured, type Regression, regressionOf } from './regression.ts';
import { isSessionFile, openSession } from './subjects.ts';

type Entry = Extract<Subject, { kind: 'entry' }>;

interface Opened {
  readonly name: string;
  readonly session: Session;
  readonly entries: readonly Entry[];
}

async function opened(host: Host, file: string): Promise<Opened> {
  const { info, session } = await openSession(host, file);
  const entries = info.subjects.flatMap(({ subject }) => (subject.kind === 'entry' ? [subject] : []));
  return { name: info.name, session, entries };
}

async function rowsOf(host: Host, subjects: readonly Subject[]): Promise<readonly ComparedRow[]> {
  const { rows } = await host.call('compare.rows', { subjects: [...subjects], reference: 0 });
  return rows;
}

/** A report of a sweep is one of its values. */
function reasonFor({ session }: Opened, { report, label }: Entry): string {
  const entry = session.reports[report]?.entries.find((one) => one.label === label);
  return entry?.status === 'refused' ? entry.reason : 'the session does not have it';
}

/** As a sweep has it at several values. */
function nameIn({ session: { sweep } }: Opened, { report, label }: Entry): string {
  return sweep === null ? label : `${label}, ${sweep.path} = ${sweep.values[report]}`;
}

/** On what each was measured, and what differs between them. */
function factsOf(before: ComparedRow, after: ComparedRow): readonly string[] {
  const place = ({ origin, scenario, provenance }: ComparedRow): string =>
    `${origin}: ${scenario}; ${provenanceText(provenance)}`;
  const differences = after.differences.map(({ what, reference, here }) => `${what} is ${here}, before ${reference}`);
  return [place(before), place(after), ...differences];
}

interface Checked {
  readonly variants: readonly Regression[];
  /** Sentences for a reader. */
  readonly facts: readonly string[];
}

interface Asked {
  /** The one before, and later ones. */
  readonly files: readonly string[];
  /** Further ones before, of which it is known how much sessions differ. */
  readonly earlier: readonly string[];
  readonly limit: number;
}

/** The later time over those of all sessions before; null where they are too few. */
function betweenSessions(sessions: readonly Opened[], after: Opened, { report, label }: Entry): Ratio | null {
  const named = [...sessions, after].map(({ session }, i) => ({ file: String(i), session }));
  const last = String(sessions.length);
  const at = after.session.sweep?.values[report];
  const series = historyOf(named, label).find(
    (one) =>
      one.points.some(({ file }) => file === last) &&
      one.scenario === after.session.reports[report]?.scenario &&
      (at === undefined || one.at?.endsWith(` = ${at}`) === true),
  );
  const times = (series?.points ?? []).filter(({ file }) => file !== last).map(({ time_s }) => time_s);
  const own = series?.points.find(({ file }) => file === last);
  return own === undefined ? null : ratioToEarlier(times, own.time_s);
}

/** Throws UsageError for anything but sessions, BraggError for files that are none. */
export async function regressions(host: Host, { files, earlier, limit }: Asked): Promise<Checked> {
  const run = [...files, ...earlier].find((file) => !isSessionFile(file));
  if (run !== undefined)
    throw new UsageError(`--fail-if-slower needs sessions that bench kept: ${run} is one run, which has no interval`);
  if (files.length < 2) throw new UsageError('--fail-if-slower needs two sessions: the earlier one and a later one');
  const [before, ...later] = await Promise.all(files.map((file) => opened(host, file)));
  const known = await Promise.all(earlier.map((file) => opened(host, file)));
  const variants: Regression[] = [];
  const facts = new Set<string>();
  for (const after of later) {
    for (const base of before?.entries ?? []) {
      const same = after.entries.find(({ report, label }) => report === base.report && label === base.label);
      const [first, second] = await rowsOf(host, same === undefined ? [base] : [base, same]);
      if (first === undefined) continue;
      const found =
        second === undefined
          ? notMeasured(first, after.name, reasonFor(after, base))
          : regressionOf(
              first,
              second,
              limit,
              betweenSessions(before === undefined ? known : [...known, before], after, base),
            );
      variants.push({ ...found, variant: before === undefined ? found.variant : nameIn(before, base) });
      if (second !== undefined) for (const fact of factsOf(first, second)) facts.add(fact);
    }
  }
  if (known.length > 0) {
    facts.add(
      `Intervals are of what ${known.length + 1} sessions before differ by; with fewer than ${fewestBefore} of a variant, of the two sessions alone.`,
    );
  }
  return { variants, facts: [...facts] };
}
