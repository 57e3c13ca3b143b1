/** What was claimed, as every table of claims writes it. */
import type { ClaimResult } from '../../electron/contract/bench/claims.ts';
import { NO_VALUE } from './numbers.ts';

/** How a statement without a number is kept: anything from its lower end to this. */
const ANY = 1000;
/** Claimed numbers begin below this where they end at ANY, and at or above it where they are themselves so large. */
const OPEN_FROM = 100;

/** A gain from below this was claimed without a number. */
const LEAST_TOLD = 1.2;

/** `2–10×`, `32×`, `at least 10×`, `5–20 µs`; `faster` where no number was given, a dash where nothing measurable was said. */
export function claimedText({ from, to, reason }: Pick<ClaimResult, 'from' | 'to' | 'reason'>, unit = '×'): string {
  const gain = unit === '×';
  if (gain && to >= ANY && reason !== null) return NO_VALUE;
  if (gain && to >= ANY) return from >= 1 && from < LEAST_TOLD ? 'faster' : `at least ${from}×`;
  if (to >= ANY && from < OPEN_FROM) return `above ${from} ${unit}`.trimEnd();
  return `${from === to ? from : `${from}–${to}`}${gain ? '×' : ` ${unit}`}`.trimEnd();
}

type Pair = ClaimResult['pairs'][number];

/** Speeds of wrong answers are told, and told to be that. */
export function claimVerdictText({ verdict, wrong = [] }: Pick<Pair, 'verdict' | 'wrong'>): string {
  return wrong.length === 0 ? verdict : `${verdict}, by a wrong answer`;
}

/** `cuda-gather → cuda-fused`; a side whose answer is wrong says so. */
export function pairText({ slower, faster, wrong = [] }: Pick<Pair, 'slower' | 'faster' | 'wrong'>): string {
  // A side may name its mode and its clock behind the variant.
  const isWrong = (side: string): boolean => wrong.some((one) => side === one || side.startsWith(`${one}, `));
  return [slower, faster].map((side) => (isWrong(side) ? `${side} (wrong)` : side)).join(' → ');
}
