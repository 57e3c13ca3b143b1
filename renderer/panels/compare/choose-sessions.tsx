/** Selects earlier sessions and stored runs for the comparison. */
import { type ReactElement, useRef } from 'react';
import type { BenchInfo, Subject } from '../../../electron/contract/bench/benches.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { subjectKey } from '../../state/comparison.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { ChoiceCheckbox } from './condition-choices.tsx';

interface SubjectsProps {
  readonly workload: WorkloadName;
  readonly subjects: BenchInfo['subjects'];
}

export function Subjects({ workload, subjects }: SubjectsProps): ReactElement {
  const { stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, (state) => state.chosen);
  const has = (subject: Subject): boolean => chosen.some(({ key }) => key === subjectKey(subject));
  const change = (on: boolean, ...which: Subject[]): void => {
    if (on) stores.comparison.add(workload, which);
    else stores.comparison.remove(which.map(subjectKey));
  };
  const all = subjects.map(({ subject }) => subject);
  return (
    <div className="compare-ticks stack">
      {subjects.length < 2 ? null : (
        <ChoiceCheckbox label="all of them" checked={all.every(has)} onChange={(on) => change(on, ...all)} />
      )}
      {subjects.map(({ subject, title }) => (
        <ChoiceCheckbox
          key={subjectKey(subject)}
          label={title}
          checked={has(subject)}
          onChange={(on) => change(on, subject)}
        />
      ))}
    </div>
  );
}

function originText({ recorded, state, machine, scenario }: BenchInfo): string {
  const place = recorded ? 'shipped with the program' : state === 'stored' ? 'saved' : 'measured now';
  return `${scenario}, ${machine}, ${place}`;
}

export function Session({ bench }: { readonly bench: BenchInfo }): ReactElement {
  const { benches } = useWorkbench();
  const mine = bench.state === 'done' || bench.state === 'cancelled';
  return (
    <details className="compare-session line-below" open={mine}>
      <summary>
        <b>{bench.name}</b> <small>{originText(bench)}</small>
      </summary>
      {mine ? (
        <div className="compare-session__tools flex gap-l">
          <Button icon="save" onPress={() => void benches.save(bench)}>
            Save…
          </Button>
          <IconButton icon="trash" label={`Remove ${bench.name}`} onPress={() => void benches.forget(bench)} />
        </div>
      ) : null}
      {bench.error === null ? null : <p role="alert">{bench.error.message}</p>}
      <Subjects workload={bench.workload} subjects={bench.subjects} />
    </details>
  );
}

export function OpenSession(): ReactElement {
  const { stores, benches } = useWorkbench();
  const { dialogs } = useSelected(stores.connection, (state) => state.capabilities.shell);
  const input = useRef<HTMLInputElement>(null);
  return (
    <p className="compare-group__text">
      <Button icon="open" onPress={() => (dialogs ? void benches.open() : input.current?.click())}>
        Open a session…
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        data-testid="open-session"
        accept=".json"
        onChange={(event) => {
          const file = event.target.files?.[0];
          event.target.value = '';
          if (file !== undefined) void file.text().then((text) => benches.openText(file.name, text));
        }}
      />
    </p>
  );
}
