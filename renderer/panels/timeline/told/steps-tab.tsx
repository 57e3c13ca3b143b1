/** Steps slower than the p99: listed one by one, with an option to dim all others. */
import type { ReactElement } from 'react';
import { count, significant } from '../../../base/numbers.ts';
import { timeText } from '../../../drawing/timeline/time-text.ts';
import { useSelected, useWorkbench } from '../../../workbench/context.ts';
import type { TimelineController } from '../controller.ts';
import { Facts } from '../facts.tsx';
import type { TimelineStateStore } from '../store.ts';

/** A hundredth of a long run is still many. */
const MOST_LISTED = 500;

export interface TabProps {
  readonly controller: TimelineController | null;
  readonly state: TimelineStateStore;
}

export function StepsTab({ controller, state }: TabProps): ReactElement {
  const { stores } = useWorkbench();
  const open = useSelected(stores.timelines, (now) => now.open);
  const slow = useSelected(state, (now) => now.slow);
  const only = useSelected(state, (now) => now.onlySlow);
  const some = open.some(({ id }) => (slow[id]?.slow.length ?? 0) > 0);
  if (!some)
    return (
      <p className="timeline-side__none">
        No step is slower than the others: these timelines have no steps of a simulation, or all took alike.
      </p>
    );
  return (
    <div data-testid="timeline-steps">
      <label>
        <input type="checkbox" checked={only} onChange={({ target }) => controller?.keepSlow(target.checked)} />
        Keep only the steps slower than the p99
      </label>
      {open.map(({ id, name, about }) => {
        const told = slow[id];
        if (told === undefined || told === null) return null;
        return (
          <section key={id}>
            <h2 className="timeline-side__title">
              {open.length > 1 ? (about === '' ? name : `${name}: ${about}`) : 'Slow steps'}
            </h2>
            <Facts
              facts={[
                { name: 'Launches of steps', value: count(told.all) },
                { name: 'Median of a step', value: timeText(told.median_ns, 4) },
                { name: 'p99', value: timeText(told.p99_ns, 4) },
                { name: 'Slower', value: count(told.slow.length) },
              ]}
            />
            <ol className="timeline-steps">
              {told.slow.slice(0, MOST_LISTED).map(({ step, steps, from_ns, to_ns, each_ns }) => (
                <li key={step}>
                  <button type="button" onClick={() => controller?.goTo(id, from_ns, to_ns)}>
                    {steps > 1 ? `steps ${step} to ${step + steps - 1}` : `step ${step}`}
                  </button>
                  <span>
                    {timeText(each_ns, 4)}, {significant(each_ns / told.median_ns, 3)}× the median
                  </span>
                </li>
              ))}
            </ol>
            {told.leftOut === 0 ? null : (
              <p className="timeline-side__about">The last launch is left out: how many steps it holds is not known.</p>
            )}
            {told.slow.length > MOST_LISTED ? (
              <p className="timeline-side__about">{count(told.slow.length - MOST_LISTED)} later ones are not listed.</p>
            ) : null}
          </section>
        );
      })}
    </div>
  );
}
