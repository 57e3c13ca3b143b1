/**
 * A session: summary of its variants, results specific to the workload, and claims. Compare and the ladder show the
 * rest.
 */
import { type ReactElement, type ReactNode, useState } from 'react';
import {
  correctnessReason,
  type MeasuredSessionEntry,
  type Session,
  type SessionEntry,
  type SessionReport,
  unprovenTexts,
} from '../../../electron/contract/bench/session.ts';
import { factorText, measuredTime, rateText, speedupOf, timeAndSpread } from '../../../electron/domain/measured.ts';
import { formatError, NO_VALUE } from '../../../electron/domain/numbers.ts';
import { provenanceText, reportProvenance } from '../../../electron/domain/provenance.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ClaimsTable } from '../../widgets/words/claims-table.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { RunOffer } from '../../workbench/offers.tsx';

/** The first failed check with its value and limit; otherwise the error of the first check. */
function checkText({ accuracy }: MeasuredSessionEntry): string {
  const broken = accuracy.find(({ holds }) => !holds);
  if (broken !== undefined) {
    const value = broken.value === null ? 'NaN' : formatError(broken.value);
    return `${broken.title}: ${value}${broken.bound === null ? '' : `, limit ${formatError(broken.bound)}`}`;
  }
  const [first] = accuracy;
  return first === undefined ? NO_VALUE : formatError(first.value);
}

const spreadTip = '± is the median absolute deviation divided by the median';

/** Tooltip with the clock that measured the time. */
function clockTip({ samples }: MeasuredSessionEntry): string {
  const [first] = samples;
  if (first?.host_s == null) return spreadTip;
  const by =
    first.time_s === first.device_s
      ? `By the GPU’s clock; ${measuredTime(first.host_s)} by the host’s`
      : 'By the host’s clock';
  return `${by}. ${spreadTip}`;
}

/** Tooltip with the reasons why samples are flagged. Flagged samples are retained. */
function flagTip({ samples }: MeasuredSessionEntry): string | undefined {
  const reasons = [...new Set(samples.flatMap(({ flag }) => flag ?? []))];
  return reasons.length === 0 ? undefined : `Flagged, but included: ${reasons.join('; ')}`;
}

function Row({ entry }: { readonly entry: SessionEntry }): ReactElement {
  if (entry.status === 'refused') {
    return (
      <tr data-refused>
        <th scope="row" title={entry.title}>
          {entry.label}
        </th>
        <td>{entry.precision}</td>
        <td colSpan={6}>{entry.reason}</td>
      </tr>
    );
  }
  const { label, title, precision, time_s, spread, ratio, verdict, determinism, samples, flagged, roofline } = entry;
  const { bytes_per_s = null, share_of_copy = null, flops_per_s = null, share_of_flops = null } = roofline ?? {};
  return (
    <tr data-verdict={verdict}>
      <th scope="row" title={title}>
        {label}
      </th>
      <td>{precision}</td>
      <td className="selectable" title={clockTip(entry)}>
        {timeAndSpread(time_s, spread, samples.length)}
      </td>
      <td className="selectable">{verdict === 'reference' ? NO_VALUE : factorText(speedupOf(ratio))}</td>
      <td data-column="verdict" title={flagTip(entry)}>
        {verdict}
        {(flagged ?? 0) === 0 ? '' : `, ${flagged} of ${samples.length} flagged`}
      </td>
      <td
        className="selectable"
        title="Compulsory traffic divided by the time, and its share of the measured copy bandwidth"
      >
        {rateText(bytes_per_s, share_of_copy, 'copy')}
      </td>
      <td className="selectable" title="Arithmetic divided by the time, and its share of the measured limit">
        {rateText(flops_per_s, share_of_flops, 'flops')}
      </td>
      <td className="selectable" title={correctnessReason(entry.accuracy) ?? entry.accuracy[0]?.tip}>
        {checkText(entry)}
        {determinism === null || determinism.bitwise ? '' : `, results differ bitwise in ${determinism.runs} runs`}
      </td>
    </tr>
  );
}

function VariantsTable({ report }: { readonly report: SessionReport }): ReactElement {
  return (
    <table className="table results__table">
      <caption className="visually-hidden">Variants of {report.title ?? report.scenario}</caption>
      <thead>
        <tr>
          <th scope="col">Variant</th>
          <th scope="col">Precision</th>
          <th scope="col">Time</th>
          <th scope="col">Speed-up</th>
          <th scope="col">Verdict</th>
          <th scope="col">Traffic</th>
          <th scope="col">Arithmetic</th>
          <th scope="col">Error</th>
        </tr>
      </thead>
      <tbody>
        {report.entries.map((entry) => (
          <Row key={entry.label} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly provenance: string;
  readonly children: ReactNode;
  readonly menu?: ReactNode;
}

/** Section with a heading, an explanation, and the machine of the measurement as provenance. */
function Section({ id, title, text, provenance, children, menu = null }: SectionProps): ReactElement {
  return (
    <section className="section results__section" aria-label={title} data-testid={`results-${id}`}>
      <div className="section__head flex center gap-l">
        <h2>{title}</h2>
        {menu}
      </div>
      <p className="section__text muted">{text}</p>
      {children}
      <p className="section__note faint small">{provenance}</p>
    </section>
  );
}

function ScrollContainer({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <section className="scroll" tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

interface SessionViewProps {
  readonly session: Session;
  /** Adds the variants of one of its reports to the comparison. */
  readonly onCompare: (report: number) => void;
}

/** Caption of the table with its number of rounds. */
function roundsText(rounds: number): string {
  if (rounds < 2) return 'One round: times without a spread, and no verdicts.';
  return `Medians over ${rounds} interleaved rounds; speedup compared with the first variant, with 95 % intervals from five rounds on.`;
}

export function SessionView({ session, onCompare }: SessionViewProps): ReactElement {
  const { workloads } = useWorkbench();
  const [picked, setPicked] = useState(session.reports.length - 1);
  const at = Math.min(picked, session.reports.length - 1);
  const report = session.reports[at];
  if (report === undefined) {
    return <EmptyState icon="ladder" title="This session has no measurements" action={<RunOffer />} />;
  }
  const { sweep } = session;
  const provenance = provenanceText(reportProvenance(report, session.created));
  const { Extra } = workloads[session.workload];
  return (
    <>
      <Section
        id="variants"
        title={report.title ?? report.scenario}
        text={`${roundsText(report.rounds)} A wrong variant is red, however fast. Samples, sources, kernels and more numbers are in Compare; the steps, the roofline and sweeps are in the ladder.`}
        provenance={provenance}
        menu={
          <>
            {sweep === null ? null : (
              <Select
                label={`Value of ${sweep.path}`}
                value={String(at)}
                options={sweep.values.map((value, i) => ({ value: String(i), label: `${sweep.path} = ${value}` }))}
                onChange={(value) => setPicked(Number(value))}
              />
            )}
            <Button icon="ladder" onPress={() => onCompare(at)}>
              Compare
            </Button>
          </>
        }
      >
        <ScrollContainer label="Table of variants">
          <VariantsTable report={report} />
        </ScrollContainer>
        {unprovenTexts(report.entries).map((text) => (
          <p key={text} className="section__text muted">
            {text}
          </p>
        ))}
      </Section>
      {Extra === null ? null : <Extra report={report} />}
      {report.claims.length === 0 ? null : (
        <Section
          id="claims"
          title="Claimed and measured"
          text="A claim counts as contradicted only if the whole interval is outside of the claimed range, and as confirmed only if the median is inside."
          provenance={provenance}
        >
          <ScrollContainer label="Table of claims">
            <ClaimsTable claims={report.claims} />
          </ScrollContainer>
        </Section>
      )}
    </>
  );
}
