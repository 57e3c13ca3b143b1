/** The table of claims as a figure. No React. */
import type { TaskClaimResult } from '../../../electron/contract/bench/claims.ts';
import {
  claimedText,
  claimTitle,
  claimVerdictText,
  pairText,
  sortByPriority,
} from '../../../electron/domain/claim-texts.ts';
import { factorText } from '../../../electron/domain/measured.ts';
import { NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import type { Figure } from './figure.ts';
import { type TableColumn, tableFigure } from './table.ts';

interface ClaimRow {
  readonly claim: TaskClaimResult;
  /** Text of the claim, such as `2–3×`, or `1–2 cycles` for a number. */
  readonly claimed: string;
  readonly measured: string;
  readonly value: number;
  readonly verdict: string;
  readonly by: string;
}

function rowsOfClaim(claim: TaskClaimResult): readonly ClaimRow[] {
  const { pairs, values, reason } = claim;
  const claimed = claimedText(claim);
  const gains = pairs.map((pair) => ({
    ...{ claim, claimed, verdict: claimVerdictText(pair, claim) },
    measured: pair.gain === null ? NO_VALUE : factorText(pair.gain),
    value: pair.gain?.value ?? Number.NaN,
    by: `${pairText(pair)}: ${pair.what}`,
  }));
  const numbers = values.map(({ variant, what, value, unit, verdict }) => ({
    ...{ claim, verdict: claimVerdictText({ verdict }, claim) },
    claimed: claimedText(claim, unit),
    measured: value === null ? NO_VALUE : `${significant(value, 3)} ${unit}`,
    value: value ?? Number.NaN,
    by: `${variant}: ${what}`,
  }));
  if (gains.length + numbers.length > 0) return [...gains, ...numbers];
  const nothing = { measured: NO_VALUE, value: Number.NaN, verdict: 'not isolated', by: reason ?? '' };
  return [{ claim, claimed, ...nothing }];
}

export function claimsFigure(claims: readonly TaskClaimResult[], caption: string, label: number): Figure {
  const lines = sortByPriority(claims).flatMap(rowsOfClaim);
  const words = (title: string, text: (line: ClaimRow) => string): TableColumn => ({
    title,
    align: 'left',
    texts: lines.map(text),
    numbers: null,
  });
  const number = (name: string, description: string, values: readonly number[]) => ({
    name,
    unit: '',
    description,
    values,
  });
  return tableFigure(
    'Claimed and measured',
    [
      words('Claim', ({ claim }) => claimTitle(claim)),
      {
        title: 'Claimed',
        align: 'right',
        texts: lines.map(({ claimed }) => claimed),
        numbers: number(
          'claimed_from',
          'claimed gain, ratio, or number (minimum)',
          lines.map(({ claim }) => claim.from),
        ),
      },
      {
        title: 'Measured',
        align: 'right',
        texts: lines.map(({ measured }) => measured),
        numbers: number(
          'measured',
          'measured gain, ratio, or number',
          lines.map(({ value }) => value),
        ),
      },
      words('Verdict', ({ verdict }) => verdict),
      words('By', ({ by }) => by),
      words('Source', ({ claim }) => claim.source),
    ],
    lines.map(() => ({})),
    caption,
    label,
  );
}
