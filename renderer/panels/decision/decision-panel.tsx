/** Advice on implementing a computation, from recorded sessions: `braggbench decide` in the page. */
import { type ReactElement, useState } from 'react';
import { approachTitles, type Decision } from '../../../electron/contract/bench/decision.ts';
import {
  adviceText,
  DEFAULT_RUNS,
  decisionTitle,
  optionText,
  sourceText,
} from '../../../electron/domain/decision-texts.ts';
import { measuredTime } from '../../../electron/domain/measured.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSessionsAnswer } from '../../workbench/context.ts';
import { PanelOffer, ReadFailure } from '../../workbench/offers.tsx';
import '../../widgets/plots/plots.css';
import '../../widgets/words/words.css';
import './decision-panel.css';

const maxRuns = 1e12;

function Problem({ decision, runs }: { readonly decision: Decision; readonly runs: number }): ReactElement {
  const { options, steps, time } = decision;
  const title = decisionTitle(decision);
  return (
    <section className="decision__problem" aria-label={title} data-testid="decision">
      <h2>{title}</h2>
      <p className="decision__advice">{adviceText(decision)}</p>
      <table className="table claims">
        <thead>
          <tr>
            <th scope="col">Way</th>
            <th scope="col">Program</th>
            <th scope="col">{time}</th>
            <th scope="col">Lowest to highest sample</th>
            <th scope="col">Answer</th>
          </tr>
        </thead>
        <tbody>
          {options.map(({ way, label, title: program, time_s, range, right }) => (
            <tr key={way}>
              <th scope="row">{approachTitles[way]}</th>
              <td title={program}>{label}</td>
              <td className="nowrap">{measuredTime(time_s)}</td>
              <td className="nowrap">
                {measuredTime(range.low)}–{measuredTime(range.high)}
              </td>
              <td>{right ? 'correct' : 'wrong'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul>
        {steps.map((step) => (
          <li key={step.option.way}>{optionText(step, runs)}</li>
        ))}
      </ul>
      <p className="muted">{sourceText(decision)}</p>
    </section>
  );
}

export default function DecisionPanel(): ReactElement {
  const { answer, failure, reload } = useSessionsAnswer('bench.decisions');
  const decisions = answer?.decisions ?? null;
  const [runs, setRuns] = useState<number>(DEFAULT_RUNS);
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <span className="decision__runs">
          <NumberField
            label="Number of runs that you plan"
            value={runs}
            unit="1"
            placeholder={null}
            min={1}
            max={maxRuns}
            whole
            onChange={(next) => {
              if (typeof next === 'number' && Number.isInteger(next) && next >= 1 && next <= maxRuns) setRuns(next);
            }}
          />
        </span>
        <span className="panel-readout">runs that you plan</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="decision panel-page grow scroll" tabIndex={0} aria-label="Which programming style to use">
        {failure === null ? null : (
          <ReadFailure title="The sessions could not be read" reason={failure} onRetry={() => reload()} />
        )}
        {decisions === null && failure === null ? (
          <EmptyState icon="sliders" title="Reading the sessions…" action={null} />
        ) : null}
        {decisions !== null && decisions.length === 0 && failure === null ? (
          <EmptyState
            icon="sliders"
            title="No session compares implementations of this workload in several programming styles"
            action={<PanelOffer panel="compare" icon="ladder" label="Benchmark with other programs" />}
          >
            Choose external programs in addition to the variants: the advice is based on a session.
          </EmptyState>
        ) : null}
        {(decisions ?? []).map((one) => (
          <Problem key={`${decisionTitle(one)} ${one.file}`} decision={one} runs={runs} />
        ))}
      </section>
    </div>
  );
}
