/**
 * Attempts of coding agents, and one variant over sessions from several days and commits as in `braggbench history`.
 */
import { type ReactElement, useState } from 'react';
import type { HistorySeries, Trend } from '../../../electron/contract/bench/history.ts';
import { pointTexts, seriesTitle, trendText } from '../../../electron/domain/measured.ts';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import '../../widgets/plots/plots.css';
import '../../widgets/words/words.css';
import './history-panel.css';
import { Button } from '../../widgets/controls/button.tsx';
import { useSessionsAnswer } from '../../workbench/context.ts';
import { PanelOffer, ReadFailure } from '../../workbench/offers.tsx';
import { AttemptHistoryView, useAttemptHistories } from './climbs.tsx';

type SeriesWithTrend = HistorySeries & { readonly trend: Trend | null };

function Series({ series }: { readonly series: SeriesWithTrend }): ReactElement {
  const { points, trend } = series;
  const first_s = points[0]?.time_s ?? Number.NaN;
  return (
    <section className="history__series" aria-label={seriesTitle(series)} data-testid="history-series">
      <h2>{seriesTitle(series)}</h2>
      <table className="table claims">
        <thead>
          <tr>
            <th scope="col">Measured</th>
            <th scope="col">Commit</th>
            <th scope="col">Time</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Relative to first</th>
            <th scope="col">Session</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => {
            const { day, commit, time, interval, ratio, doubts } = pointTexts(point, first_s);
            return (
              <tr key={`${point.created} ${point.file}`}>
                <th scope="row">{day}</th>
                <td>{commit}</td>
                <td className="nowrap">{time}</td>
                <td className="nowrap">{interval}</td>
                <td className="nowrap">{ratio}</td>
                <td>
                  {point.file}
                  {doubts === '' ? '' : ` (${doubts})`}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p>{trendText(trend, points.length)}</p>
    </section>
  );
}

export default function HistoryPanel(): ReactElement {
  const { answer, failure, reload } = useSessionsAnswer('bench.history');
  const series = answer?.series ?? null;
  const { histories, failure: unreadClimbs, reload: askClimbs } = useAttemptHistories();
  const [sought, setSought] = useState('');
  const words = sought.toLowerCase().split(/\s+/);
  const climbing = (histories ?? []).filter((one) => words.every((word) => one.problem.toLowerCase().includes(word)));
  const shown = (series ?? []).filter((one) => words.every((word) => seriesTitle(one).toLowerCase().includes(word)));
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <span className="history__search">
          <TextField label="Search the history" placeholder="variant or scenario" value={sought} onChange={setSought} />
        </span>
        <span className="panel-readout">{series === null ? '' : `${shown.length} of ${series.length} series`}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="history panel-page grow scroll" tabIndex={0} aria-label="Sessions over days and commits">
        {failure === null ? null : (
          <ReadFailure title="The history could not be read" reason={failure} onRetry={() => reload()} />
        )}
        {unreadClimbs === null ? null : (
          <ReadFailure title="The attempts could not be read" reason={unreadClimbs} onRetry={askClimbs} />
        )}
        {climbing.map((climb) => (
          <AttemptHistoryView key={climb.problem} climb={climb} />
        ))}
        {series === null && failure === null ? (
          <EmptyState icon="curve" title="Reading the sessions…" action={null} />
        ) : null}
        {series !== null && shown.length + climbing.length === 0 && failure === null ? (
          <EmptyState
            icon="curve"
            title={sought.trim() === '' ? 'No variant was measured twice' : 'No series contains these words'}
            action={
              sought.trim() === '' ? (
                <PanelOffer panel="compare" icon="ladder" label="Benchmark in Compare" />
              ) : (
                <Button onPress={() => setSought('')}>Clear the search</Button>
              )
            }
          >
            Two sessions of one variant, scenario and machine start a history; save sessions to add them.
          </EmptyState>
        ) : null}
        {shown.map((one) => (
          <Series key={seriesTitle(one)} series={one} />
        ))}
      </section>
    </div>
  );
}
