/** How the answer of Live that is shown was solved, and how soon after the edit it was there. */
import type { ReactElement } from 'react';
import type { WhatIfWay } from '../../../electron/contract/scenario/transport/what-if.ts';
import { fixed, significant } from '../../base/numbers.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

const times = (factor: number): string => `${Number(factor.toPrecision(3))} ×`;

/** `cells of 0.4 × 0.5 mm and 10 mrad (2 × in z, 2 × in x, 2 × in angle)`. */
function gridText({ dz_mm, dx_mm, dtheta_mrad, coarser }: WhatIfWay): string {
  const { z, x, theta } = coarser;
  const cells = `cells of ${significant(dz_mm, 3)} × ${significant(dx_mm, 3)} mm and ${significant(dtheta_mrad, 3)} mrad`;
  const all = z === x && x === theta;
  const each = all ? `${times(z)} each` : `${times(z)} in z, ${times(x)} in x, ${times(theta)} in angle`;
  return z * x * theta === 1 ? `the scenario's grid, ${cells}` : `a coarser grid, ${cells} (${each})`;
}

export function LiveNote(): ReactElement | null {
  const { stores } = useWorkbench();
  const { on, answer, phase, resting, refusal, perSecond, latency_ms } = useSelected(stores.whatIf, (state) => state);
  if (!on || answer === null) return null;
  const { sequence, full, way, solve_ms } = answer;
  const next = resting && phase === 'solving' ? 'The full answer is being solved.' : 'Full resolution when you pause.';
  return (
    <section
      className="live-note"
      aria-label="Live"
      data-full={full}
      data-answer={sequence}
      data-phase={phase}
      data-testid="live-note"
    >
      <p>
        <b>{full ? 'At rest' : 'While you drag'}</b>
        {full ? ': solved as Run solves it.' : `: ${way.stepping} stepping on ${gridText(way)}. ${next}`}
      </p>
      <p className="live-note__times">
        <span>{`solved in ${fixed(solve_ms, 0)} ms`}</span>
        {latency_ms === null ? null : <span>{`drawn ${fixed(latency_ms, 0)} ms after the edit`}</span>}
        {perSecond === null ? null : <span>{`${fixed(perSecond, 1)} answers/s`}</span>}
      </p>
      {phase === 'waiting' ? <p role="status">Waits for what else has the device; the last answer is shown.</p> : null}
      {phase === 'refused' ? (
        <p role="status" className="run-panel__warning">
          {`The last answer is shown. Not solved: ${refusal ?? 'the scenario as it stands'}`}
        </p>
      ) : null}
    </section>
  );
}
