/** What a study comes to, how long it takes, and what of it cannot be run. */
import type { ReactElement } from 'react';
import { forecastText, planText } from '../words.ts';
import type { Planned } from './use-plan.ts';

interface PlanWordsProps {
  /** Null: not yet. */
  readonly planned: Planned | null;
  /** Combinations of its axes, where they alone are known; null: nothing is. */
  readonly combinations: number | null;
  /** A search ends when it has found, so that it has no forecast. */
  readonly isSearch: boolean;
  /** It takes more than a day. */
  readonly endless: boolean;
}

export function PlanWords({ planned, combinations, isSearch, endless }: PlanWordsProps): ReactElement {
  const before = combinations === null ? '' : `${combinations} combinations.`;
  const refused = planned?.plan.refused ?? [];
  return (
    <>
      <p role="status" className="studies__plan" data-testid="study-plan">
        {planned === null ? before : planText(planned.plan)}
      </p>
      {planned === null || isSearch ? null : (
        <p role="status" className="studies__plan" data-testid="study-forecast">
          {[
            forecastText(planned.forecast, planned.probing),
            ...(endless ? ['That is longer than a day: begin it all the same, or with fewer points.'] : []),
          ].join(' ')}
        </p>
      )}
      {refused.length === 0 ? null : (
        <ul className="studies__refused" aria-label="Points that cannot be run">
          {refused.map(({ settings, message }) => (
            <li key={settings}>
              {settings}: {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
