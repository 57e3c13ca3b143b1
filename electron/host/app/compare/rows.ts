/** One row per subject: its numbers, and how it stands to the reference. */
import type { ComparedRow } from '../../../contract/bench/comparison.ts';
import { type Accuracy, isRight } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { sameGrid } from '../../model/fields/field.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { scenarioDifferencesInTurns } from './compare.ts';
import type { Loaded, OwnRow } from './subjects.ts';
import { anotherSize, comparedTimes } from './times.ts';

/** Values of the scenario that are about how it is solved, not what. */
const howSolved = /^(solver\.(variant|precision|threads|device)|output|name|notes)(\.|$)/;

/** Both answers are of one problem: then what they differ by is an error. */
async function sameProblem(here: Loaded, reference: Loaded): Promise<boolean> {
  if (here.document === null || reference.document === null || reference.held) return false;
  const differences = await scenarioDifferencesInTurns(reference.document, here.document);
  return differences.every(({ what }) => howSolved.test(what));
}

async function accuracyOf(here: Loaded, reference: Loaded): Promise<readonly Accuracy[]> {
  const { compared } = hostWorkloads[here.row.workload];
  const own = here.row.accuracy;
  if (here.held || here === reference || compared.kind === 'sessions') return own;
  if (here.field === null || reference.field === null || !sameGrid(here.field, reference.field)) return own;
  const answerOf = ({ field, row }: Loaded) => (field === null ? null : { field, precision: row.precision });
  const [a, b] = [answerOf(here), answerOf(reference)];
  if (a === null || b === null) return own;
  return [...(await compared.against(a, b, await sameProblem(here, reference))), ...own];
}

async function differencesOf(here: Loaded, reference: Loaded): Promise<ComparedRow['differences']> {
  const [a, b] = [reference.environment, here.environment];
  const machine = Object.keys(b).flatMap((what) =>
    a[what] === undefined || a[what] === b[what] ? [] : [{ what, reference: a[what], here: b[what] ?? '' }],
  );
  const kinds = here.row.subject.kind !== reference.row.subject.kind;
  if (here.document === null || reference.document === null || kinds) return machine;
  const scenario = await scenarioDifferencesInTurns(reference.document, here.document);
  return [...machine, ...scenario.map(({ what, first, here: value }) => ({ what, reference: first, here: value }))];
}

function sameSession({ subject: a }: OwnRow, { subject: b }: OwnRow): boolean {
  return a.kind !== 'run' && b.kind !== 'run' && a.bench === b.bench && a.report === b.report;
}

function noteOf(here: Loaded, reference: Loaded, ratio: ComparedRow['ratio'], paired: boolean): string | null {
  const [own, other] = [here.row, reference.row];
  if (own === other) return null;
  if (own.bench !== other.bench) return `another benchmark, ${own.bench}: the times do not compare`;
  if (anotherSize(own, other)) {
    const sizes = `${own.size} ${here.words.size} here, ${other.size} there`;
    return `another size than the reference (${sizes}): the times do not compare`;
  }
  if (own.scenario !== other.scenario) return `another scenario: ${own.scenario}`;
  if (ratio.interval === null) return 'too few samples for an interval';
  if (paired) return null;
  // In one session CPU and GPU are of one machine.
  if (!sameSession(own, other) && own.provenance.machine !== other.provenance.machine) {
    return `on another machine: ${own.provenance.machine}`;
  }
  return sameSession(own, other)
    ? 'timed after the rounds and not in them: drifts of the machine do not cancel'
    : 'of another session: drifts of the machine do not cancel';
}

/** Throws BraggError `unsupported`, with what each is of, where there are several workloads. */
function checkOneWorkload(all: readonly Loaded[]): void {
  const byWorkload = Map.groupBy(all, ({ row }) => row.workload);
  if (byWorkload.size < 2) return;
  const each = [...byWorkload].map(([workload, list]) => `${list[0]?.row.origin} of ${workload}`);
  throw new BraggError('unsupported', `A comparison is of one workload, and these are of several: ${each.join(', ')}.`);
}

/** Rows in the order given; `reference` is one of `all`. */
export async function comparedRows(all: readonly Loaded[], reference: Loaded): Promise<ComparedRow[]> {
  checkOneWorkload(all);
  const standing = await comparedTimes(all, reference);
  const rowOf = async (here: Loaded, i: number): Promise<ComparedRow> => {
    const times = standing[i];
    if (times === undefined) throw new Error('a subject whose times were not compared');
    const { speed, ...told } = times;
    const accuracy = await accuracyOf(here, reference);
    return {
      ...here.row,
      ...told,
      has_map: here.field !== null,
      has_curve: here.field?.curve != null,
      accuracy: [...accuracy],
      verdict: here.wrong || !isRight(accuracy) ? 'wrong' : here === reference ? 'reference' : speed,
      note: noteOf(here, reference, told.ratio, told.paired),
      differences: here === reference ? [] : await differencesOf(here, reference),
    };
  };
  return Promise.all(all.map(rowOf));
}
