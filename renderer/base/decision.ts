/** What sessions say of how to write a computation, in words. The page and the command line say the same. */
import { type Decision, type Step, WHOLE_RUN, wayTitles } from '../../electron/contract/bench/decision.ts';
import { measuredTime } from './measured.ts';
import { count, NO_VALUE, significant } from './numbers.ts';

/** Runs that a user plans, where nothing else is said. */
export const usualRuns = 10_000;

/** Hours and minutes as a person says them. */
function spoken(seconds: number): string {
  if (seconds < 60) return measuredTime(seconds);
  if (seconds < 3600) return `${significant(seconds / 60, 2)} min`;
  return seconds < 48 * 3600 ? `${significant(seconds / 3600, 2)} h` : `${significant(seconds / 86_400, 2)} days`;
}

export const decisionTitle = ({ scenario, bench, at, machine }: Decision): string =>
  [scenario, ...(bench === '' || bench === scenario ? [] : [bench]), ...(at === null ? [] : [at]), machine].join(' · ');

const lower = (text: string): string =>
  /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

/** One sentence a way: what it saves, from when on that repays its writing, and what so many runs are worth. */
export function stepText({ option, ratio, ratio_range, decided, saved_s, runs_per_hour }: Step, runs: number): string {
  const name = wayTitles[option.way];
  const range = `${significant(ratio_range.low, 3)} to ${significant(ratio_range.high, 3)}×`;
  if (decided === 'undecided') return `${name}: not decided, the samples overlap or are too few (${range}).`;
  if (decided === 'slower') return `${name}: slower, ${significant(1 / ratio, 3)}× the time.`;
  const times = `${significant(ratio, 3)}× as fast (${range})`;
  const worth = spoken(saved_s * runs);
  return `${name}: ${times}, ${measuredTime(saved_s)} less a run. An hour of writing is repaid after ${count(runs_per_hour ?? 0)} runs; ${count(runs)} runs are worth up to ${worth} of it.`;
}

/** The sentence above: what to stay with, or what to think about. */
export function adviceText({ options, steps }: Decision): string {
  const base = options.find(({ right }) => right);
  if (base === undefined) return NO_VALUE;
  const faster = steps.filter(({ decided }) => decided === 'faster');
  const stay = wayTitles[base.way];
  if (faster.length === 0) return `Stay with ${lower(stay)}: no other way is decidedly faster here.`;
  // A way with more work counts only where it is decidedly faster than what takes less.
  const worth = faster.filter((one, i) => faster.slice(0, i).every(({ option }) => beats(one, option.range.low)));
  const names = worth.map(({ option }) => lower(wayTitles[option.way]));
  const last = names.at(-1) ?? '';
  const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} or ${last}`;
  const no = steps.filter((step) => !worth.includes(step)).map(({ option }) => lower(wayTitles[option.way]));
  const not = no.length === 0 ? '' : ` Not worth more work here: ${no.join(', ')}.`;
  return `Stay with ${lower(stay)} unless you run it often: ${list} pays, by the runs below.${not}`;
}

const beats = ({ option }: Step, low: number): boolean => option.range.high < low;

/** What the times are of, and where they come from. */
export const sourceText = ({ time, file, created }: Decision): string =>
  `${time === WHOLE_RUN ? 'Whole warm runs' : `${time} alone: set-up and reading back are left out`}. From ${file}, ${created.slice(0, 10)}.`;
