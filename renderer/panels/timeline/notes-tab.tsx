/**
 * Tabs of the timeline's side panel. One lists the steps that are slower than the 99th percentile, and can dim
 * everything else. The other edits bookmarks and notes for the selection or the visible time.
 */
import { type ReactElement, useState } from 'react';
import type { TraceId } from '../../../electron/contract/timeline.ts';
import { count, significant } from '../../../electron/domain/numbers.ts';
import { exactTime, timeText } from '../../drawing/timeline/time-text.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { TimelineController } from './controller.ts';
import { Facts } from './selection-details.tsx';
import type { TimelineStateStore } from './store.ts';

/** Maximum number of listed steps, because a hundredth of a long run is still many. */
const MAX_LISTED = 500;

interface TabProps {
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
        No step is slower than the others: these timelines have no simulation steps, or all steps took the same time.
      </p>
    );
  return (
    <div data-testid="timeline-steps">
      <label>
        <input type="checkbox" checked={only} onChange={({ target }) => controller?.showOnlySlow(target.checked)} />
        Dim everything except steps slower than the p99
      </label>
      {open.map(({ id, name, about }) => {
        const statistics = slow[id];
        if (statistics === undefined || statistics === null) return null;
        return (
          <section key={id}>
            <h2 className="timeline-side__title">
              {open.length > 1 ? (about === '' ? name : `${name}: ${about}`) : 'Slow steps'}
            </h2>
            <Facts
              facts={[
                { name: 'Launches of steps', value: count(statistics.all) },
                { name: 'Median of a step', value: timeText(statistics.median_ns, 4) },
                { name: 'p99', value: timeText(statistics.p99_ns, 4) },
                { name: 'Slower', value: count(statistics.slow.length) },
              ]}
            />
            <ol className="timeline-steps">
              {statistics.slow.slice(0, MAX_LISTED).map(({ step, steps, from_ns, to_ns, each_ns }) => (
                <li className="flex wrap" key={step}>
                  <button type="button" className="link" onClick={() => controller?.goTo(id, from_ns, to_ns)}>
                    {steps > 1 ? `steps ${step} to ${step + steps - 1}` : `step ${step}`}
                  </button>
                  <span>
                    {timeText(each_ns, 4)}, {significant(each_ns / statistics.median_ns, 3)}× the median
                  </span>
                </li>
              ))}
            </ol>
            {statistics.leftOut === 0 ? null : (
              <p className="timeline-side__about">The last launch is omitted: its number of steps is unknown.</p>
            )}
            {statistics.slow.length > MAX_LISTED ? (
              <p className="timeline-side__about">
                {count(statistics.slow.length - MAX_LISTED)} later ones are not listed.
              </p>
            ) : null}
          </section>
        );
      })}
    </div>
  );
}

const MAX_NOTE_LENGTH = 2000;

export function NotesTab({ controller, state }: TabProps): ReactElement {
  const { stores } = useWorkbench();
  const open = useSelected(stores.timelines, (now) => now.open);
  const notes = useSelected(state, (now) => now.notes);
  const selected = useSelected(state, (now) => now.selected);
  const [text, setText] = useState('');
  const [selectedTrace, setSelectedTrace] = useState<TraceId | null>(null);
  const trace = open.find(({ id }) => id === selectedTrace)?.id ?? open[0]?.id ?? null;
  const titleOf = (id: TraceId): string => {
    const info = open.find((one) => one.id === id);
    return info === undefined ? '' : info.about === '' ? info.name : `${info.name}: ${info.about}`;
  };
  const add = (): void => {
    if (trace === null) return;
    void controller?.addNote(trace, text.trim());
    setText('');
  };
  return (
    <div data-testid="timeline-notes">
      <form
        className="timeline-notes__new grid gap-s"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        {open.length > 1 && trace !== null ? (
          <Select
            label="Note on"
            value={trace}
            options={open.map(({ id }) => ({ value: id, label: titleOf(id) }))}
            onChange={setSelectedTrace}
          />
        ) : null}
        <TextField
          label="Note"
          placeholder="Your note"
          lines={2}
          value={text}
          invalid={text.length > MAX_NOTE_LENGTH}
          onChange={setText}
        />
        <Button icon="tag" disabled={trace === null || text.length > MAX_NOTE_LENGTH} onPress={add}>
          {`${text.trim() === '' ? 'Bookmark' : 'Note'} ${selected === null ? 'the visible range' : 'the selection'}`}
        </Button>
      </form>
      {open.map(({ id }) => (
        <section key={id}>
          {open.length > 1 && (notes[id] ?? []).length > 0 ? (
            <h2 className="timeline-side__title">{titleOf(id)}</h2>
          ) : null}
          <ul className="timeline-notes">
            {(notes[id] ?? []).map((note) => (
              <li key={`${note.created} ${note.from_ns}`}>
                <button type="button" className="link" onClick={() => controller?.goTo(id, note.from_ns, note.to_ns)}>
                  {exactTime(note.from_ns)}, {timeText(note.to_ns - note.from_ns)} long
                </button>
                <IconButton
                  icon="trash"
                  size={12}
                  label={`Remove the note at ${exactTime(note.from_ns)}`}
                  onPress={() => void controller?.removeNote(id, note)}
                />
                {note.text === '' ? null : <p>{note.text}</p>}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
