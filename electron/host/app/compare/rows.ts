/**
 * Builds the rows of a comparison, one per subject: its numbers, and its time relative to the reference of its group.
 */
import type { ComparedGroup, ComparedRow } from '../../../contract/bench/comparison.ts';
import {
  type Accuracy,
  correctnessOf,
  isIncorrect,
  type Session,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { Result } from '../../../contract/wire/methods.ts';
import { isSameGrid } from '../../model/fields/field.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { scenarioDifferencesInSlices } from './compare.ts';
import { type AbsoluteRow, type EntrySubject, type LoadedSubject, loadedSubjectOf } from './subjects.ts';
import { comparedTimes, comparedTimesOnThisThread } from './times.ts';

/** Paths of scenario values that affect only the solver or the output, but not the problem. */
const solverPaths = /^(solver\.(variant|precision|threads|device)|output|name|notes)(\.|$)/;

/** Whether both solve the same problem, so that the difference between their results is an error. */
async function isSameProblem(here: LoadedSubject, reference: LoadedSubject): Promise<boolean> {
  if (here.document === null || reference.document === null || reference.isAgainstFp64) return false;
  const differences = await scenarioDifferencesInSlices(reference.document, here.document);
  return differences.every(({ what }) => solverPaths.test(what));
}

async function accuracyOf(here: LoadedSubject, reference: LoadedSubject): Promise<readonly Accuracy[]> {
  const { compared } = hostWorkloads[here.row.workload];
  const own = here.row.accuracy;
  if (here.isAgainstFp64 || here === reference || compared.kind === 'sessions') return own;
  if (here.field === null || reference.field === null || !isSameGrid(here.field, reference.field)) return own;
  const answerOf = ({ field, row }: LoadedSubject) =>
    field === null ? null : { field, precision: row.precision, variant: row.variant };
  const [a, b] = [answerOf(here), answerOf(reference)];
  if (a === null || b === null) return own;
  return [...(await compared.compare(a, b, await isSameProblem(here, reference))), ...own];
}

async function differencesOf(here: LoadedSubject, reference: LoadedSubject): Promise<ComparedRow['differences']> {
  const [a, b] = [reference.environment, here.environment];
  const machine = Object.keys(b).flatMap((what) =>
    a[what] === undefined || a[what] === b[what] ? [] : [{ what, reference: a[what], here: b[what] ?? '' }],
  );
  const kinds = here.row.subject.kind !== reference.row.subject.kind;
  if (here.document === null || reference.document === null || kinds) return machine;
  const scenario = await scenarioDifferencesInSlices(reference.document, here.document);
  return [...machine, ...scenario.map(({ what, first, here: value }) => ({ what, reference: first, here: value }))];
}

function isSameSession({ subject: a }: AbsoluteRow, { subject: b }: AbsoluteRow): boolean {
  return a.kind !== 'run' && b.kind !== 'run' && a.bench === b.bench && a.report === b.report;
}

interface ComparisonGroup {
  readonly members: LoadedSubject[];
  readonly reference: LoadedSubject;
}

/** A CPU run does not record the GPU, so a missing GPU matches any. */
const isSameGpu = ({ machine: a }: LoadedSubject, { machine: b }: LoadedSubject): boolean =>
  a.gpu === undefined || b.gpu === undefined || a.gpu === b.gpu;

const isSameMachine = (a: LoadedSubject, b: LoadedSubject): boolean =>
  a.machine.key === b.machine.key && isSameGpu(a, b);
const isSameSize = ({ row: a }: LoadedSubject, { row: b }: LoadedSubject): boolean =>
  a.size === null || b.size === null || a.size === b.size;
const isSameBench = ({ row: a }: LoadedSubject, { row: b }: LoadedSubject): boolean => a.bench === b.bench;

/** Whether the times of both can be compared. */
const areComparable = (a: LoadedSubject, b: LoadedSubject): boolean =>
  isSameBench(a, b) && isSameSize(a, b) && isSameMachine(a, b);

/**
 * Selects the reference of a group: a session's reference unless its result is wrong, otherwise the first member with a
 * correct result.
 */
const referenceAmong = (members: readonly LoadedSubject[]): LoadedSubject | undefined =>
  members.find(
    ({ row: { subject }, sessionReference, correctness }) =>
      subject.kind === 'entry' && subject.label === sessionReference && !isIncorrect(correctness),
  ) ??
  members.find(({ correctness }) => correctness === 'correct') ??
  members[0];

function groupsOf(all: readonly LoadedSubject[], reference: LoadedSubject): readonly ComparisonGroup[] {
  const main: ComparisonGroup = { members: all.filter((one) => areComparable(one, reference)), reference };
  const others: LoadedSubject[][] = [];
  for (const one of all) {
    if (main.members.includes(one)) continue;
    const found = others.find((members) => members.every((other) => areComparable(one, other)));
    if (found === undefined) others.push([one]);
    else found.push(one);
  }
  return [
    main,
    ...others.flatMap((members) => {
      const own = referenceAmong(members);
      return own === undefined ? [] : [{ members, reference: own }];
    }),
  ];
}

/** Titles that contain only the properties by which the groups differ, in the order of `parts`. */
function titlesOf(groups: readonly ComparisonGroup[]): readonly string[] {
  if (groups.length < 2) return [''];
  const gpuName = ({ reference: { environment } }: ComparisonGroup): string => environment['gpu'] ?? 'none';
  const parts: readonly ((group: ComparisonGroup) => string)[] = [
    ({ reference: { row } }) => row.bench,
    ({ reference: { row, words } }) => (row.size === null ? '' : `${row.size} ${words.size}`.trim()),
    ({ reference: { machine } }) => machine.name,
    (group) => (gpuName(group) === 'none' ? '' : gpuName(group)),
  ];
  const differing = parts.filter((part) => new Set(groups.map(part)).size > 1);
  const titles = groups.map((group) =>
    differing
      .map((part) => part(group))
      .filter((text) => text !== '')
      .join(', '),
  );
  // Groups with equal titles are on several machines or GPUs of one model, so number them.
  return titles.map((title, i) => {
    const same = titles.flatMap((other, k) => (other === title ? [k] : []));
    return same.length < 2 ? title : [title, `machine ${same.indexOf(i) + 1}`].filter((text) => text !== '').join(', ');
  });
}

/** Explains why the times of a group cannot be compared with the chosen reference. */
function notComparableText(own: LoadedSubject, main: LoadedSubject): string {
  if (!isSameBench(own, main)) return `the benchmark differs from that of ${main.row.title}`;
  if (!isSameSize(own, main)) {
    return `the size differs from that of ${main.row.title} (${own.row.size} and ${main.row.size} ${own.words.size})`;
  }
  return `the machine differs from that of ${main.row.title}`;
}

interface GroupedRatio {
  readonly group: ComparisonGroup;
  readonly ratio: ComparedRow['ratio'];
  readonly paired: boolean;
}

function rowNote(
  here: LoadedSubject,
  main: LoadedSubject,
  { group: { reference }, ratio, paired }: GroupedRatio,
): string | null {
  if (here === reference) {
    return here === main ? null : `${notComparableText(here, main)}: its times cannot be compared`;
  }
  const [own, other] = [here.row, reference.row];
  if (own.scenario !== other.scenario) return `the scenario differs: ${own.scenario}`;
  if (ratio.interval === null) return 'too few samples for an interval';
  if (paired) return null;
  return isSameSession(own, other)
    ? 'timed after the rounds, so the ratio includes drift of the machine'
    : 'from another session, so the ratio includes drift of the machine';
}

/** Throws BraggError `unsupported` with each workload if the subjects have several workloads. */
function throwIfSeveralWorkloads(all: readonly LoadedSubject[]): void {
  const byWorkload = Map.groupBy(all, ({ row }) => row.workload);
  if (byWorkload.size < 2) return;
  const each = [...byWorkload].map(([workload, list]) => `${list[0]?.row.origin} of ${workload}`);
  throw new BraggError(
    'unsupported',
    `Only results of one workload can be compared, but these belong to several workloads: ${each.join(', ')}.`,
  );
}

/** Combines the verdict of the row's session with the comparison with the chosen reference. */
function verdictOf(
  { correctness }: LoadedSubject,
  accuracy: readonly Accuracy[],
  speed: ComparedRow['verdict'],
): ComparedRow['verdict'] {
  const compared = correctnessOf(accuracy);
  const failed = [correctness, compared].find(isIncorrect);
  if (failed !== undefined) return failed;
  return speed === 'reference' || correctness === 'correct' || compared === 'correct' ? speed : 'not checked';
}

/**
 * Returns the ratio of the control to the reference. A control is a second copy of its session's reference, so this
 * applies only if that is also the group's reference.
 */
function controlRatio({ noise, sessionReference, row: { subject } }: LoadedSubject): LoadedSubject['noise'] {
  return subject.kind === 'entry' && subject.label === sessionReference ? noise : null;
}

/**
 * Returns the chosen reference. If its result is wrong, returns a comparable correct one, because a time relative to a
 * wrong result means nothing.
 */
const correctReference = (all: readonly LoadedSubject[], chosen: LoadedSubject): LoadedSubject =>
  isIncorrect(chosen.correctness)
    ? (referenceAmong(all.filter((one) => areComparable(one, chosen) && !isIncorrect(one.correctness))) ?? chosen)
    : chosen;

/**
 * Returns the rows in the given order, and the groups with the reference's group first. `chosen` must be in `all`. It
 * becomes the reference unless its result is wrong.
 */
export async function comparedRows(
  all: readonly LoadedSubject[],
  chosen: LoadedSubject,
  compareTimes = comparedTimes,
): Promise<{ readonly rows: ComparedRow[]; readonly groups: ComparedGroup[] }> {
  throwIfSeveralWorkloads(all);
  const reference = correctReference(all, chosen);
  const groups = groupsOf(all, reference);
  const groupOf = (here: LoadedSubject): number => groups.findIndex(({ members }) => members.includes(here));
  const times = await compareTimes(
    all,
    all.map((here) => all.indexOf(groups[groupOf(here)]?.reference ?? here)),
  );
  const rowOf = async (here: LoadedSubject, i: number): Promise<ComparedRow> => {
    const [index, own] = [groupOf(here), times[i]];
    const group = groups[index];
    if (own === undefined || group === undefined) throw new Error('a compared subject has no times');
    const { speed, ...told } = own;
    // Results can be compared across machines and sizes, so the accuracy is relative to the chosen reference.
    const accuracy = await accuracyOf(here, reference);
    const isReference = here === group.reference;
    return {
      ...here.row,
      ...told,
      group: index,
      has_map: here.field !== null,
      has_curve: here.field?.curve != null,
      accuracy: [...accuracy],
      verdict: verdictOf(here, accuracy, isReference ? 'reference' : speed),
      note: rowNote(here, reference, { group, ...told }),
      differences: here === reference ? [] : await differencesOf(here, reference),
    };
  };
  const titles = titlesOf(groups);
  return {
    rows: await Promise.all(all.map(rowOf)),
    groups: groups.map(({ reference: own }, i) => ({
      title: titles[i] ?? '',
      reference: all.indexOf(own),
      noise: { floor: own.floor, ratio: controlRatio(own) },
    })),
  };
}

/** Lists the subjects in one report of a session: first its variants, then external programs. */
function entrySubjectsOf({ entries, external }: SessionReport, report: number): readonly EntrySubject[] {
  const at = { bench: 'session', report };
  return [
    ...entries.flatMap(({ status, label }) =>
      status === 'measured' ? [{ kind: 'entry' as const, ...at, label }] : [],
    ),
    ...external.flatMap(({ id, result }) => (result === null ? [] : [{ kind: 'external' as const, ...at, label: id }])),
  ];
}

/** Returns the comparison rows for one report of a session. Empty if nothing was measured. */
export async function reportRows(session: Session, index: number): Promise<Omit<Result<'compare.rows'>, 'gone'>> {
  const report = session.reports[index];
  if (report === undefined) throw new Error(`the session has no report ${index}`);
  const named = { name: report.title ?? report.scenario, session, answer: () => null };
  const loaded = entrySubjectsOf(report, index).map((subject) => loadedSubjectOf(named, subject));
  const against = loaded.find(({ row }) => row.title === report.reference) ?? loaded[0];
  if (against === undefined) return { rows: [], words: null, groups: [] };
  return { ...(await comparedRows(loaded, against, comparedTimesOnThisThread)), words: session.words };
}
