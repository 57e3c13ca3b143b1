/** How far a study is, and what failed. */
import { type ReactElement, useState } from 'react';
import type { StudyEntry } from '../../../electron/contract/study/calls.ts';
import { count } from '../../base/numbers.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { Where } from './where.tsx';
import { stateText } from './words.ts';

interface ProgressProps {
  readonly entry: StudyEntry;
  readonly onChanged: () => void;
}

export function Progress({ entry, onChanged }: ProgressProps): ReactElement {
  const { client, stores } = useWorkbench();
  const { id, points, done, failed, state, failures } = entry;
  const [on, setOn] = useState(entry.on);
  const doing = (work: Promise<unknown>): void => {
    work.then(onChanged, (error: unknown) => stores.notices.fail(`${entry.name} was left as it was`, error));
  };
  const left = points - done - failed;
  return (
    <>
      <div className="studies__progress">
        <progress max={Math.max(1, points)} value={done + failed} aria-label={`Progress of ${entry.name}`} />
        <span role="status" data-testid="study-state">
          {stateText(entry)}
        </span>
        {state === 'running' ? (
          <Button icon="stop" onPress={() => doing(client.call('study.stop', { study: id }))}>
            Stop
          </Button>
        ) : null}
        {state === 'open' && left > 0 && !entry.searches ? <Where on={on} onChange={setOn} /> : null}
        {state === 'open' && left > 0 ? (
          <Button icon="run" onPress={() => doing(client.call('study.resume', { study: id, retry: false, on }))}>
            Go on
          </Button>
        ) : null}
        {(state === 'open' || state === 'whole') && failed > 0 ? (
          <Button icon="reset" onPress={() => doing(client.call('study.resume', { study: id, retry: true, on }))}>
            Try failed points again
          </Button>
        ) : null}
      </div>
      {failures.length === 0 ? null : (
        <details className="studies__failures">
          <summary>{count(failed)} failed</summary>
          <ul>
            {failures.map((failure) => (
              <li key={failure.id}>
                {failure.id.slice(0, 8)}: {failure.message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
