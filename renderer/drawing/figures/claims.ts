/** The table of claims as a figure. No React. */
import type { ClaimResult } from '../../../electron/contract/claims.ts';
import { timesText } from '../../base/measured.ts';
import { NO_VALUE } from '../../base/numbers.ts';
import type { Figure } from './figure.ts';
import { type TableColumn, tableFigure } from './table.ts';

interface Line {
  readonly claim: ClaimResult;
  /** Null: no pair isolates it. */
  readonly pair: ClaimResult['pairs'][number] | null;
}

export function claimsFigure(claims: readonly ClaimResult[], caption: string, label: number): Figure {
  const lines = claims.flatMap((claim): Line[] =>
    claim.pairs.length === 0 ? [{ claim, pair: null }] : claim.pairs.map((pair) => ({ claim, pair })),
  );
  const words = (title: string, text: (line: Line) => string): TableColumn => ({
    title,
    align: 'left',
    texts: lines.map(text),
    numbers: null,
  });
  const gain = (line: Line): number => line.pair?.gain?.value ?? Number.NaN;
  const number = (name: string, description: string, values: readonly number[]) => ({
    name,
    unit: '',
    description,
    values,
  });
  return tableFigure(
    'Claimed and measured',
    [
      words('Claim', ({ claim }) => claim.claim),
      {
        title: 'Claimed',
        align: 'right',
        texts: lines.map(({ claim }) => `${claim.from}–${claim.to}×`),
        numbers: number(
          'claimed_from',
          'least gain that was claimed, times',
          lines.map(({ claim }) => claim.from),
        ),
      },
      {
        title: 'Measured',
        align: 'right',
        texts: lines.map(({ pair }) => (pair?.gain == null ? NO_VALUE : timesText(pair.gain))),
        numbers: number('measured', 'gain that was measured, times', lines.map(gain)),
      },
      words('Verdict', ({ pair }) => pair?.verdict ?? 'not isolated'),
      words('By', ({ claim, pair }) =>
        pair === null ? (claim.reason ?? '') : `${pair.slower} → ${pair.faster}: ${pair.what}`,
      ),
      words('Source', ({ claim }) => claim.source),
    ],
    lines.map(() => ({})),
    caption,
    label,
  );
}
