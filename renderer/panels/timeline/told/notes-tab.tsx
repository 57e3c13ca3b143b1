/** Bookmarks and notes on the timelines: of the selection, or of what is in sight. */
import { type ReactElement, useState } from 'react';
import type { TraceId } from '../../../../electron/contract/timeline.ts';
import { exactTime, timeText } from '../../../drawing/timeline/time-text.ts';
import { Button, IconButton } from '../../../widgets/controls/button.tsx';
import { Select } from '../../../widgets/controls/select.tsx';
import { TextField } from '../../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../../workbench/context.ts';
import type { TabProps } from './steps-tab.tsx';

const LONGEST = 2000;

export function NotesTab({ controller, state }: TabProps): ReactElement {
  const { stores } = useWorkbench();
  const open = useSelected(stores.timelines, (now) => now.open);
  const notes = useSelected(state, (now) => now.notes);
  const selected = useSelected(state, (now) => now.selected);
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<TraceId | null>(null);
  const trace = open.find(({ id }) => id === asked)?.id ?? open[0]?.id ?? null;
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
        className="timeline-notes__new"
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
            onChange={setAsked}
          />
        ) : null}
        <TextField
          label="Note"
          placeholder="What is to be seen here"
          lines={2}
          value={text}
          invalid={text.length > LONGEST}
          onChange={setText}
        />
        <Button icon="tag" disabled={trace === null || text.length > LONGEST} onPress={add}>
          {`${text.trim() === '' ? 'Bookmark' : 'Note'} ${selected === null ? 'what is in sight' : 'the selection'}`}
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
                <button type="button" onClick={() => controller?.goTo(id, note.from_ns, note.to_ns)}>
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
