/** Points that were chosen in table or plot: opened as runs or scenarios, and two beside each other. */
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { RunInfo } from '../../../electron/contract/run.ts';
import type { StudyId } from '../../../electron/contract/study/calls.ts';
import { measuredTime } from '../../base/measured.ts';
import { errorText } from '../../state/notices.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { differenceChart, differenceRows, type Point } from './point-difference.ts';

interface ChosenPointsProps {
  readonly study: StudyId;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Results of the chosen points, in their order. */
function usePoints(
  study: StudyId,
  chosen: readonly string[],
): { readonly points: readonly Point[]; readonly failure: string | null } {
  const { client } = useWorkbench();
  const [points, setPoints] = useState<readonly Point[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const asked = chosen.join(' ');
  useEffect(() => {
    let current = true;
    const ids = asked === '' ? [] : asked.split(' ');
    Promise.all(
      ids.map(async (id) => {
        const { settings, result } = await client.call('study.result', { study, point: id });
        return result === null ? [] : [{ id, settings, result }];
      }),
    ).then(
      (found) => {
        if (!current) return;
        setPoints(found.flat());
        setFailure(null);
      },
      (error: unknown) => current && setFailure(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, study, asked]);
  return { points, failure };
}

function tookText({ result }: Point): string {
  if (result.status === 'failed') return `failed: ${result.error?.message ?? ''}`;
  const took = result.measures.find(({ name }) => name === 'wall_s')?.value;
  return typeof took === 'number' ? `took ${measuredTime(took)}` : '';
}

function Difference({ a, b }: { readonly a: Point; readonly b: Point }): ReactElement {
  const { scheduler } = useWorkbench();
  const [all, setAll] = useState(false);
  const rows = useMemo(() => differenceRows(a, b, all), [a, b, all]);
  const chart = useMemo(() => differenceChart(a, b), [a, b]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="studies__difference" tabIndex={0} aria-label="Two points compared">
      <label>
        <input type="checkbox" checked={all} onChange={({ target }) => setAll(target.checked)} />
        Show what is alike, too
      </label>
      <table data-testid="study-difference">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">{a.id.slice(0, 8)}</th>
            <th scope="col">{b.id.slice(0, 8)}</th>
            <th scope="col">second less first</th>
            <th scope="col">over</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, unit, values, less, over }) => (
            <tr key={name}>
              <th scope="row">{unit === '' ? name : `${name} [${unit}]`}</th>
              <td>{values[0]}</td>
              <td>{values[1]}</td>
              <td>{less}</td>
              <td>{over}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {chart === null ? null : <ShownChart chart={chart} scheduler={scheduler} />}
    </section>
  );
}

export function ChosenPoints({ study, chosen, onChange }: ChosenPointsProps): ReactElement | null {
  const { client, stores, documents, runs } = useWorkbench();
  const { points, failure } = usePoints(study, chosen);
  const [busy, setBusy] = useState(false);
  if (chosen.length === 0) return null;
  const doing = (what: string, work: () => Promise<void>): void => {
    setBusy(true);
    work()
      .catch((error: unknown) => stores.notices.fail(what, error))
      .finally(() => setBusy(false));
  };
  const begin = async (point: string): Promise<RunInfo> => {
    const { scenario, name } = await client.call('study.point', { study, point });
    // Named by its settings: many are of one scenario.
    const named = { ...scenario, name };
    return client.call('run.start', { scenario: named, name, file: null, trace: stores.tracing.getState().on });
  };
  const run = (point: string): void =>
    doing('The point was not opened as a run', async () => {
      runs.show((await begin(point)).id);
      stores.layout.reveal('runs');
    });
  const open = (point: string): void =>
    doing('The point was not opened', async () => {
      const { scenario, name } = await client.call('study.point', { study, point });
      const text = `${JSON.stringify({ ...scenario, name }, null, 2)}\n`;
      if (await documents.openText(`${name}.json`, text)) stores.layout.reveal('scenario');
    });
  const both = (): void =>
    doing('The points were not compared as runs', async () => {
      const started: RunInfo[] = [];
      for (const point of chosen) started.push(await begin(point));
      for (const { id, workload } of started) stores.comparison.add(workload, [{ kind: 'run', run: id }]);
      stores.layout.reveal('compare');
    });
  const [a, b] = points;
  return (
    <section className="studies__chosen" aria-label="Chosen points">
      <ul>
        {chosen.map((id) => {
          const point = points.find((one) => one.id === id);
          return (
            <li key={id}>
              <strong>{id.slice(0, 8)}</strong>
              <span className="studies__settings">{point?.settings ?? ''}</span>
              <span className="studies__took">{point === undefined ? '' : tookText(point)}</span>
              <Button icon="run" disabled={busy} onPress={() => run(id)}>
                Open as a run
              </Button>
              <Button icon="edit" disabled={busy} onPress={() => open(id)}>
                Open its scenario
              </Button>
              <IconButton
                icon="close"
                label={`Choose ${id.slice(0, 8)} no more`}
                onPress={() => onChange(chosen.filter((one) => one !== id))}
              />
            </li>
          );
        })}
      </ul>
      {failure === null ? null : <p className="studies__fault">{failure}</p>}
      {chosen.length < 2 ? (
        <p className="studies__said">Choose a second point to see what they differ by.</p>
      ) : (
        <Button icon="ladder" disabled={busy} onPress={both}>
          Run both and compare
        </Button>
      )}
      {a !== undefined && b !== undefined ? <Difference a={a} b={b} /> : null}
    </section>
  );
}
