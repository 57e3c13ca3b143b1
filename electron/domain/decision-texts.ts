/** Texts that recommend a programming approach from measured sessions, shared by the page and the command line. */
import {
  type ApproachComparison,
  type ApproachOption,
  approachTitles,
  type Decision,
  END_TO_END_RUN,
  minEvidence,
} from '../contract/bench/decision.ts';
import { measuredTime } from './measured.ts';
import { count, NO_VALUE, significant } from './numbers.ts';

/** Default for the number of runs that a user plans to make. */
export const DEFAULT_RUNS = 10_000;

/** Formats a duration in a coarse unit, such as minutes or hours. */
function durationInWords(seconds: number): string {
  if (seconds < 60) return measuredTime(seconds);
  if (seconds < 3600) return `${significant(seconds / 60, 2)} min`;
  return seconds < 48 * 3600 ? `${significant(seconds / 3600, 2)} h` : `${significant(seconds / 86_400, 2)} days`;
}

export const decisionTitle = ({ scenario, bench, at, machine }: Decision): string =>
  [scenario, ...(bench === '' || bench === scenario ? [] : [bench]), ...(at === null ? [] : [at]), machine].join(' · ');

const lowerFirstLetter = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

const countText = (n: number, what: string): string => `${n === 1 ? 'one' : n} ${what}${n === 1 ? '' : 's'}`;

/** States how many samples or instances an option has, whichever is below the required number. */
function scarceEvidenceText({ samples, instances }: Pick<ApproachOption, 'samples' | 'instances'>): string {
  return samples < minEvidence.samples ? countText(samples, 'sample') : countText(instances, 'instance');
}

const speedText = (ratio: number): string =>
  ratio >= 1 ? `${significant(ratio, 3)}× as fast` : `${significant(1 / ratio, 3)}× the time`;

/**
 * Sentence about one option: its speedup, after how many runs its development pays off, and the time saved by `runs`
 * runs.
 */
export function optionText(
  { option, ratio, ratio_range, decided, saved_s, runs_per_hour }: ApproachComparison,
  runs: number,
): string {
  const name = approachTitles[option.way];
  const range = `${significant(ratio_range.low, 3)} to ${significant(ratio_range.high, 3)}×`;
  if (decided === 'too few') {
    const { samples, instances } = minEvidence;
    return `${name}: ${speedText(ratio)} as measured, but this is not sufficient evidence: ${samples} samples from ${instances} instances of each are needed.`;
  }
  if (decided === 'overlap') return `${name}: undecided, the samples overlap (${range}).`;
  if (decided === 'slower') return `${name}: slower, ${significant(1 / ratio, 3)}× the time.`;
  const times = `${significant(ratio, 3)}× as fast (${range})`;
  const worth = durationInWords(saved_s * runs);
  return `${name}: ${times}, ${measuredTime(saved_s)} less per run. An hour of development is paid back after ${count(runs_per_hour ?? 0)} runs; over ${count(runs)} runs it saves ${worth}.`;
}

/** Explains that there are too few measurements for advice, and which exist. */
function noAdviceText(base: ApproachOption, steps: readonly ApproachComparison[]): string {
  const scarcest = [base, ...steps.map(({ option }) => option)].reduce((a, b) =>
    b.samples < a.samples || (b.samples === a.samples && b.instances < a.instances) ? b : a,
  );
  const [most] = steps.toSorted((a, b) => b.ratio - a.ratio);
  const seen =
    most === undefined || most.ratio <= 1
      ? ''
      : `; ${approachTitles[most.option.way]} was ${significant(most.ratio, 3)}× as fast in these measurements`;
  return `No advice: ${scarceEvidenceText(scarcest)} each${seen}. Benchmark them again to decide.`;
}

/** Sentence above the table, which recommends an option, or states that the evidence is insufficient. */
export function adviceText({ options, steps }: Decision): string {
  const base = options.find(({ right }) => right);
  if (base === undefined) return NO_VALUE;
  const faster = steps.filter(({ decided }) => decided === 'faster');
  const unknown = steps.filter(({ decided }) => decided === 'too few');
  const stay = approachTitles[base.way];
  if (faster.length === 0 && unknown.length > 0) return noAdviceText(base, unknown);
  if (faster.length === 0)
    return `Stay with ${lowerFirstLetter(stay)}: no other programming style is certainly faster here.`;
  // Recommend an option with more programming effort only if it is clearly faster than all options with less effort.
  const worth = faster.filter((one, i) =>
    faster.slice(0, i).every(({ option }) => isFasterThan(one, option.range.low)),
  );
  const names = worth.map(({ option }) => lowerFirstLetter(approachTitles[option.way]));
  const last = names.at(-1) ?? '';
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
  const no = steps
    .filter((step) => step.decided !== 'too few' && !worth.includes(step))
    .map(({ option }) => lowerFirstLetter(approachTitles[option.way]));
  const not = no.length === 0 ? '' : ` Not worth the additional work here: ${no.join(', ')}.`;
  const few = unknown.map(({ option }) => lowerFirstLetter(approachTitles[option.way]));
  const open = few.length === 0 ? '' : ` Too few measurements: ${few.join(', ')}.`;
  return `Stay with ${lowerFirstLetter(stay)} unless you run it often: ${list} pays off from the number of runs in the table below.${not}${open}`;
}

const isFasterThan = ({ option }: ApproachComparison, low: number): boolean => option.range.high < low;

/** States the measured time and the session that it comes from. */
export const sourceText = ({ time, file, created }: Decision): string =>
  `${time === END_TO_END_RUN ? 'Warm end-to-end runs' : `${time} only: without set-up and reading back`}. From ${file}, ${created.slice(0, 10)}.`;
