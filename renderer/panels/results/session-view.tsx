/** One session: variants, their numbers over the sweep, and the claims beside them. */
import { type ReactElement, useMemo, useState } from 'react';
import type { TaskSession } from '../../../electron/contract/task-bench.ts';
import { provenanceText, reportProvenance } from '../../base/provenance.ts';
import { claimCurve, sweptClaims, taskTimes } from '../../drawing/figures/task-sweep.ts';
import { ClaimsTable } from '../../widgets/claims-table.tsx';
import { EmptyState } from '../../widgets/empty-state.tsx';
import { Select } from '../../widgets/select.tsx';
import { extrasOf } from './extras.tsx';
import { FigureSection, Scroll, Section } from './section.tsx';
import { QuantitiesTable, quantitiesOf, VariantsTable } from './variants-table.tsx';

export function SessionView({ session }: { readonly session: TaskSession }): ReactElement {
  const [picked, setPicked] = useState(session.reports.length - 1);
  const report = session.reports[Math.min(picked, session.reports.length - 1)];
  const swept = useMemo(() => (session.sweep === null ? [] : sweptClaims(session)), [session]);
  if (report === undefined) return <EmptyState icon="ladder" title="This session measured nothing" />;
  const { sweep } = session;
  const provenance = provenanceText(reportProvenance(report, session.created));
  const Extra = extrasOf(report.workload);
  const told = quantitiesOf(report);
  return (
    <>
      <Section
        id="variants"
        title={report.title}
        text={`Medians over ${report.rounds} interleaved rounds; speed-up over the first variant, with 95 % intervals. A variant that is wrong is red, however fast.`}
        provenance={provenance}
        menu={
          sweep === null ? null : (
            <Select
              label={`Value of ${sweep.path}`}
              value={String(picked)}
              options={sweep.values.map((value, i) => ({ value: String(i), label: `${sweep.path} = ${value}` }))}
              onChange={(value) => setPicked(Number(value))}
            />
          )
        }
      >
        <Scroll label="Table of variants">
          <VariantsTable report={report} />
        </Scroll>
        {told === null ? null : (
          <Scroll label="Table of further numbers">
            <QuantitiesTable told={told} />
          </Scroll>
        )}
      </Section>
      {Extra === null ? null : <Extra report={report} />}
      {sweep === null ? null : (
        <FigureSection
          id="times"
          title={`Time over ${sweep.path}`}
          text="Each variant at every value of the sweep."
          provenance={provenance}
          report={report}
          make={(size) => taskTimes(sweep, size)}
        />
      )}
      {swept.map((claim) => (
        <FigureSection
          key={claim.id}
          id={`claim-${claim.id}`}
          title={claim.claim}
          text={`What was claimed is the band; what was measured, with 95 % intervals, the lines. ${claim.source}.`}
          provenance={provenance}
          report={report}
          make={(size) => claimCurve(session, claim, size)}
        />
      ))}
      {report.claims.length === 0 ? null : (
        <Section
          id="claims"
          title="Claimed and measured"
          text="A claim is contradicted only where the whole interval lies outside of what was claimed."
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
