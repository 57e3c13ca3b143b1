/** One variant on one problem over sessions of several days and commits, as in `braggbench history`. */
import { type ReactElement, useState } from 'react';
import type { HistorySeries, Trend } from '../../../electron/contract/bench/history.ts';
import { pointTexts, seriesTitle, trendText } from '../../base/history.ts';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import '../../widgets/plots/plot-panel.css';
import '../../widgets/words/claims-table.css';
import './history-panel.css';
import { Button } from '../../widgets/controls/button.tsx';
import { PanelOffer, Unread } from '../../workbench/offers.tsx';
import { useOfSessions } from '../../workbench/use-of-sessions.ts';

type Told = HistorySeries & { readonly trend: Trend | null };

function Series({ series }: { readonly series: Told }): ReactElement {
  const { points, trend } = series;
  const first_s = points[0]?.time_s ?? Number.NaN;
  return (
    <section className="history__series" aria-label={seriesTitle(series)} data-testid="history-series">
      <h2>{seriesTitle(series)}</h2>
      <table className="claims">
        <thead>
          <tr>
            <th scope="col">Measured</th>
            <th scope="col">Commit</th>
            <th scope="col">Time</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Over the first</th>
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
                <td className="claims__number">{time}</td>
                <td className="claims__number">{interval}</td>
                <td className="claims__number">{ratio}</td>
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
  const { answer, failure, ask } = useOfSessions('bench.history');
  const series = answer?.series ?? null;
  const [sought, setSought] = useState('');
  const words = sought.toLowerCase().split(/\s+/);
  const shown = (series ?? []).filter((one) => words.every((word) => seriesTitle(one).toLowerCase().includes(word)));
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <span className="history__search">
          <TextField label="Search the history" placeholder="variant or scenario" value={sought} onChange={setSought} />
        </span>
        <span className="panel-readout">{series === null ? '' : `${shown.length} of ${series.length} series`}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <section className="history" tabIndex={0} aria-label="Sessions over days and commits">
        {failure === null ? null : (
          <Unread title="The history could not be read" reason={failure} again={() => ask()} />
        )}
        {series === null && failure === null ? (
          <EmptyState icon="curve" title="Reading the sessions…" action={null} />
        ) : null}
        {series !== null && shown.length === 0 && failure === null ? (
          <EmptyState
            icon="curve"
            title={sought.trim() === '' ? 'No variant was measured twice' : 'No series has these words'}
            action={
              sought.trim() === '' ? (
                <PanelOffer panel="compare" icon="ladder" label="Benchmark in Compare" />
              ) : (
                <Button onPress={() => setSought('')}>Clear the search</Button>
              )
            }
          >
            Two sessions of one variant, scenario and machine begin a history; save sessions to keep them.
          </EmptyState>
        ) : null}
        {shown.map((one) => (
          <Series key={seriesTitle(one)} series={one} />
        ))}
      </section>
    </div>
  );
}
