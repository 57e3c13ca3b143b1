/** One session: its variants in short, what is the workload's own, and the claims. All else is in Compare and the ladder. */
import { type ReactElement, useState } from 'react';
import type { Session } from '../../../electron/contract/bench/session.ts';
import { provenanceText, reportProvenance } from '../../base/provenance.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { ClaimsTable } from '../../widgets/words/claims-table.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { RunOffer } from '../../workbench/offers.tsx';
import { Scroll, Section } from './section.tsx';
import { VariantsTable } from './variants-table.tsx';

interface SessionViewProps {
  readonly session: Session;
  /** Puts the variants of one of its reports into the comparison. */
  readonly onCompare: (report: number) => void;
}

/** What the numbers of the table are, for so many rounds. */
function roundsText(rounds: number): string {
  if (rounds < 2) return 'One round: times without a spread, and no verdicts.';
  return `Medians over ${rounds} interleaved rounds; speed-up over the first variant, with 95 % intervals from five rounds on.`;
}

export function SessionView({ session, onCompare }: SessionViewProps): ReactElement {
  const { workloads } = useWorkbench();
  const [picked, setPicked] = useState(session.reports.length - 1);
  const at = Math.min(picked, session.reports.length - 1);
  const report = session.reports[at];
  if (report === undefined) {
    return <EmptyState icon="ladder" title="This session measured nothing" action={<RunOffer />} />;
  }
  const { sweep } = session;
  const provenance = provenanceText(reportProvenance(report, session.created));
  const { Extra } = workloads[session.workload];
  return (
    <>
      <Section
        id="variants"
        title={report.title ?? report.scenario}
        text={`${roundsText(report.rounds)} A variant that is wrong is red, however fast. Samples, sources, kernels and further numbers stand in Compare; the steps, the roofline and sweeps in the ladder.`}
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
        <Scroll label="Table of variants">
          <VariantsTable report={report} />
        </Scroll>
      </Section>
      {Extra === null ? null : <Extra report={report} />}
      {report.claims.length === 0 ? null : (
        <Section
          id="claims"
          title="Claimed and measured"
          text="A claim is contradicted only where the whole interval lies outside of what was claimed, and as claimed only where the median lies inside."
          provenance={provenance}
        >
          <Scroll label="Table of claims">
            <ClaimsTable claims={report.claims} />
          </Scroll>
        </Section>
      )}
    </>
  );
}
