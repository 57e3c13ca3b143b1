/** Readouts of a finished run. */
import type { ReactElement } from 'react';
import { type DepthDose, type Moments, type RunSummary, reactionTreatment } from '../../../electron/contract/run.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ResolvedTransport } from '../../../electron/contract/scenario/transport/workload.ts';
import { narrowResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { finalReadoutTexts, liveReadoutTexts } from '../../../electron/domain/dose/readouts.ts';
import {
  compactCount,
  duration,
  fixedDigits,
  NO_VALUE,
  percent,
  significant,
} from '../../../electron/domain/numbers.ts';
import { formatBytes } from '../../../electron/domain/values/units.ts';
import { SHOWN_KEY } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { type ReadoutItem, Readouts } from '../../widgets/plots/readout.tsx';
import { useCached, useSelected, useWorkbench } from '../../workbench/context.ts';
import { NoResultsYet } from '../no-results.tsx';
import { Widths, type WidthsProps } from './widths.tsx';

interface ResultsProps {
  readonly summary: RunSummary;
  readonly depthDose: DepthDose | null;
  readonly moments: Moments | null;
  readonly resolved: ResolvedTransport | null;
}

/** Share of the protons in a row of the ledger. */
const shareOf = ({ ledger: { number } }: RunSummary, part: number): number => (number.in === 0 ? 0 : part / number.in);

/** Whether the box ends before the range. */
const leavesBox = (summary: RunSummary): boolean =>
  shareOf(summary, summary.ledger.number.escaped_z + summary.ledger.number.escaped_x) > 0.5;

/** Reason for a missing R80, from the ledger. */
function noRangeReason(summary: RunSummary): string {
  const { ledger, status } = summary;
  const { number } = ledger;
  const share = (part: number): number => shareOf(summary, part);
  if (share(number.in_flight) > 1e-3) {
    const left = percent(share(number.in_flight));
    return status !== 'done'
      ? `${left} of the protons were still in flight.`
      : `${left} of the protons were in flight at the last step.`;
  }
  if (leavesBox(summary)) return 'most protons leave the box before stopping.';
  return 'the depth dose has no peak.';
}

const DEPTH = ['geometry', 'depth_mm'] as const;

/** Button that removes the depth from the form, so that the box follows the range, and runs again. */
function FitBox(): ReactElement | null {
  const { stores, runs } = useWorkbench();
  const depth_mm = useSelected(stores.scenario, ({ draft }) => valueAt(draft, DEPTH));
  if (depth_mm === undefined) return null;
  const fit = (): void => {
    stores.scenario.edit(DEPTH, undefined, 'Depth');
    void runs.start();
  };
  return (
    <Button icon="run" onPress={fit}>
      Fit the box to the range and run
    </Button>
  );
}

function signedText(value: number, digits: number): string {
  return `${value > 0 ? '+' : ''}${fixedDigits(value, digits)}`;
}

/** Range of a run, compared with the range from the tables. */
function RangeHead({
  r80_mm,
  resolved,
}: {
  readonly r80_mm: number | null;
  readonly resolved: ResolvedTransport | null;
}): ReactElement {
  const difference = r80_mm === null || resolved === null ? null : r80_mm - resolved.range_mm;
  return (
    <dl className="range-head grid rounded sunken">
      <div className="range-head__main" title="Distal 80 % depth along the beam axis">
        <dt>
          <span className="readouts__swatch readouts__swatch--r80" />
          R80
        </dt>
        <dd className="selectable" data-testid="r80">
          {fixedDigits(r80_mm, 2)} <small>mm</small>
        </dd>
      </div>
      <div
        title={
          resolved === null
            ? ''
            : `Path along the beam axis, through the regions on it; stopping power of water from ${resolved.table}`
        }
      >
        <dt>
          <span className="readouts__swatch readouts__swatch--reference" />
          CSDA range
        </dt>
        <dd className="selectable" data-testid="csda-range">
          {fixedDigits(resolved?.range_mm, 2)} mm
        </dd>
      </div>
      <div>
        <dt>Difference</dt>
        <dd className="selectable">{difference === null ? NO_VALUE : `${signedText(difference, 2)} mm`}</dd>
      </div>
    </dl>
  );
}

/** Differences below this are negligible relative to any range straggling. */
const NOTICEABLE_MM = 0.005;

const readoutOf = ({ title, value, unit, about }: ReturnType<typeof liveReadoutTexts>[number]): ReadoutItem => ({
  ...{ name: title, value, unit, title: about },
});

/** Shape of the peak, which is unknown if protons do not stop in the box. */
function PeakReadouts({
  metrics,
  extra_straggling_mm,
}: {
  readonly metrics: DepthDose['metrics'] | RunSummary['metrics'];
  readonly extra_straggling_mm: number;
}): ReactElement {
  return (
    <Readouts
      items={[
        ...liveReadoutTexts(metrics).slice(1).map(readoutOf),
        ...(extra_straggling_mm < NOTICEABLE_MM
          ? []
          : [
              {
                name: 'Grid adds',
                value: fixedDigits(extra_straggling_mm, 3),
                unit: 'mm',
                title:
                  'Range spread (σ) added by range bins and cells: it makes the falloff wider than it physically is',
              },
            ]),
      ]}
    />
  );
}

/** Readouts of further depths and of the beam's lateral profile. */
const MoreReadouts = ({ metrics }: { readonly metrics: RunSummary['metrics'] }): ReactElement => (
  <Readouts items={finalReadoutTexts(metrics).map(readoutOf)} />
);

const REACTIONS = {
  followed: { value: 'icru63', title: 'Products of nuclear reactions are followed' },
  attenuation: {
    value: 'attenuation',
    title: 'Protons are lost to nuclear reactions; their products are not followed',
  },
  off: {
    value: 'off',
    title: 'Nuclear reactions are off, so the peak is higher and the plateau lower than with them',
  },
} as const;

function SolveReadouts({ summary }: { readonly summary: RunSummary }): ReactElement {
  const { metrics, solve_s, products_s, setup_s, wall_s, cell_steps } = summary;
  const rate = solve_s > 0 ? cell_steps / solve_s : null;
  const reactions = reactionTreatment(summary);
  const times = `Set-up ${duration(setup_s)}, total ${duration(wall_s)}`;
  return (
    <Readouts
      items={[
        { name: 'Deposited', value: significant(metrics.energy_deposited_MeV, 5), unit: 'MeV' },
        ...(metrics.mean_range_mm === null
          ? []
          : [
              {
                name: 'Mean range',
                value: fixedDigits(metrics.mean_range_mm, 2),
                unit: 'mm',
                title:
                  'Mean depth along the beam at which protons stop; it is less than the CSDA range, because the path is not straight',
              },
            ]),
        { name: 'Solve', value: duration(solve_s), title: times },
        ...(products_s === undefined
          ? []
          : [
              {
                name: 'Products',
                value: duration(products_s),
                title: 'Time for following the products of nuclear reactions, after the steps',
              },
            ]),
        { name: 'Steps', value: String(summary.steps) },
        {
          name: 'Cell-steps',
          value: rate === null ? NO_VALUE : `${compactCount(rate)}/s`,
          title: 'Cells visited, summed over the steps, per second',
        },
        {
          name: 'Memory',
          value: formatBytes(summary.state_bytes),
          title: 'Largest amount of phase-space data in this run',
        },
        { name: 'Reactions', value: REACTIONS[reactions].value, title: REACTIONS[reactions].title },
      ]}
    />
  );
}

/** Depths (z) at 0.5 and 0.9 of the range along the beam; an oblique beam reaches them at a smaller z. */
function widthDepths(r80_mm: number | null, depthDose: DepthDose | null): WidthsProps['depths_mm'] {
  if (r80_mm === null || depthDose === null) return null;
  const { entrance_mm, angle_deg } = depthDose;
  const along = (share: number): number => entrance_mm.z + share * r80_mm * Math.cos((angle_deg * Math.PI) / 180);
  return { half: along(0.5), near: along(0.9) };
}

/** Results of the shown transport run. */
export function TransportResults(): ReactElement {
  const { data, feeds } = useWorkbench();
  const summary = useCached(data.summary, SHOWN_KEY);
  const depthDose = useCached(data.depthDose, SHOWN_KEY);
  const moments = useCached(data.moments, SHOWN_KEY);
  const reference = useCached(data.reference, SHOWN_KEY);
  if (summary === null) return <NoResultsYet feed={feeds.of(RunFeed)} />;
  const resolved = narrowResolvedScenario('transport', reference?.resolved ?? null);
  return <Results summary={summary} depthDose={depthDose?.final ?? null} moments={moments} resolved={resolved} />;
}

function Results({ summary, depthDose, moments, resolved }: ResultsProps): ReactElement {
  const metrics = depthDose?.metrics ?? summary.metrics;
  return (
    <div className="run-results grid">
      {metrics.r80_mm === null ? (
        <>
          <p className="muted">No range: {noRangeReason(summary)}</p>
          {leavesBox(summary) ? <FitBox /> : null}
        </>
      ) : (
        <>
          <RangeHead r80_mm={metrics.r80_mm} resolved={resolved} />
          <PeakReadouts metrics={metrics} extra_straggling_mm={summary.extra_straggling_mm} />
          <MoreReadouts metrics={summary.metrics} />
        </>
      )}
      {summary.notes.map(({ code, text }) => (
        <p className="warning" key={code}>
          {text}
        </p>
      ))}
      {moments === null ? null : <Widths moments={moments} depths_mm={widthDepths(metrics.r80_mm, depthDose)} />}
      <SolveReadouts summary={summary} />
    </div>
  );
}
