/** A session in a list: what it is about and what can be taken from it. */

import type { BenchInfo, BenchState } from '../../../contract/bench/benches.ts';
import type { Session } from '../../../contract/bench/session.ts';
import type { WireError } from '../../../contract/errors.ts';
import type { NamedFile } from '../../../contract/files.ts';
import type { WorkloadName } from '../../../contract/workload.ts';

interface BenchFacts {
  readonly id: string;
  readonly workload: WorkloadName;
  readonly name: string;
  readonly state: BenchState;
  readonly queuePosition: number | null;
  readonly created: string;
  readonly recorded: boolean;
  readonly file: NamedFile | null;
  readonly scenario: string;
  readonly machine: string;
  readonly sweep: string | null;
  readonly session: Session | null;
  readonly error: WireError | null;
}

function subjectsOf(bench: string, session: Session): BenchInfo['subjects'] {
  const many = session.reports.length > 1;
  return session.reports.flatMap(({ entries, external }, report) => {
    const value = session.sweep?.values[report];
    const at = many ? ` at ${value ?? report + 1}` : '';
    return [
      ...entries
        .filter(({ status }) => status === 'measured')
        .map(({ label }) => ({
          subject: { kind: 'entry' as const, bench, report, label },
          title: `${label}${at}`,
        })),
      ...external
        .filter(({ result }) => result !== null)
        .map(({ id, title }) => ({
          subject: { kind: 'external' as const, bench, report, label: id },
          title: `${title}${at}`,
        })),
    ];
  });
}

function refusedIn(session: Session): BenchInfo['refused'] {
  const all = session.reports.flatMap(({ entries, external }) => [
    ...entries.flatMap((one) => (one.status === 'refused' ? [{ title: one.label, reason: one.reason }] : [])),
    ...external.flatMap(({ title, result, reason }) =>
      result === null ? [{ title, reason: reason ?? 'no reason known' }] : [],
    ),
  ]);
  // Each value of a sweep refuses the same.
  return [...new Map(all.map((one) => [`${one.title} ${one.reason}`, one])).values()];
}

export function benchInfo({ session, error, ...facts }: BenchFacts): BenchInfo {
  return {
    ...facts,
    bench: session?.reports[0]?.bench ?? '',
    subjects: session === null ? [] : subjectsOf(facts.id, session),
    refused: session === null ? [] : refusedIn(session),
    error: error === null ? null : { ...error, issues: [...error.issues] },
  };
}

export function machineOf({ reports }: Session): string {
  const machine = reports[0]?.machine;
  return machine?.gpu?.name ?? machine?.cpu ?? 'not known';
}
