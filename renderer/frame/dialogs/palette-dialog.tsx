/**
 * Command palette: commands with shortcuts, examples, panel actions, materials and headings of the handbook. Type to
 * search, choose with the arrow keys, run with Enter.
 */
import { type KeyboardEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { isMac } from '../../base/platform.ts';
import { headings } from '../../panels/handbook/pages.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import {
  activeShortcut,
  type Command,
  commandPath,
  paletteEntries,
  searchCommands,
  shortcutText,
} from '../../workbench/commands/command.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { useCommands } from '../use-commands.ts';
import './dialogs.css';

/** Number of entries that Page Up and Page Down move by. */
const PAGE = 8;

const rowsPerKey: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };

function Option(props: {
  readonly id: string;
  readonly command: Command;
  readonly active: boolean;
  readonly desktop: boolean;
  readonly point: () => void;
  readonly choose: () => void;
}): ReactElement {
  const { command } = props;
  const shortcut = activeShortcut(command, props.desktop);
  const above = commandPath(command).slice(0, -1);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and handles the keys
    <div
      id={props.id}
      role="option"
      tabIndex={-1}
      aria-selected={props.active}
      aria-disabled={!command.enabled}
      className="palette__option flex gap-l rounded"
      onPointerMove={props.point}
      onClick={props.choose}
    >
      <span className="palette__check rigid">{command.checked ? <Icon name="check" size={12} /> : null}</span>
      <span className="palette__title clip nowrap">{command.title}</span>
      <span className="palette__path grow faint small nowrap">{above.join(' › ')}</span>
      {shortcut === null ? null : (
        <kbd className="palette__key rigid muted small">{shortcutText(shortcut, isMac())}</kbd>
      )}
    </div>
  );
}

export default function PaletteDialog({ answer }: { readonly answer: (id: string | null) => void }): ReactElement {
  const workbench = useWorkbench();
  const { stores } = workbench;
  const desktop = useSelected(stores.connection, (state) => state.capabilities.shell.kind === 'desktop');
  const commands = useCommands();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => stores.handbook.setState({ parts: headings }), [stores]);
  // Without a query, list the menu commands only.
  const found = query.trim() === '' ? commands : searchCommands([...commands, ...paletteEntries(workbench)], query);
  const active = found[Math.min(at, found.length - 1)];

  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    const index = Math.min(at, found.length - 1);
    list.current?.children[index]?.scrollIntoView({ block: 'nearest' });
  }, [at, found.length]);

  const choose = (command: Command | undefined): void => {
    if (command?.enabled) answer(command.id);
  };
  const pressed = (event: KeyboardEvent): void => {
    const move = rowsPerKey[event.key];
    if (move !== undefined) {
      const last = found.length - 1;
      // Steps of one entry wrap around at the ends of the list; page steps stop there.
      const next = at + move;
      setAt(Math.abs(move) > 1 ? Math.max(0, Math.min(last, next)) : (next + last + 1) % Math.max(1, last + 1));
    } else if (event.key === 'Enter') choose(active);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className="dialog palette clip"
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        answer(null);
      }}
      onPointerDown={(event) => {
        // A press on the backdrop closes the palette.
        if (event.target === dialog.current) answer(null);
      }}
    >
      <div className="palette__body stack">
        <div className="palette__field flex center gap-l rigid muted line-below">
          <Icon name="search" />
          <input
            className="grow ink"
            type="text"
            role="combobox"
            aria-label="Find a command"
            aria-expanded={true}
            aria-autocomplete="list"
            aria-controls={`${id}-list`}
            aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
            placeholder="Find a command, example, material or heading"
            autoComplete="off"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setAt(0);
            }}
            onKeyDown={pressed}
          />
        </div>
        <div className="palette__list grow scroll" id={`${id}-list`} role="listbox" aria-label="Commands" ref={list}>
          {found.map((command, index) => (
            <Option
              key={command.id}
              id={`${id}-${command.id}`}
              command={command}
              active={command === active}
              desktop={desktop}
              point={() => setAt(index)}
              choose={() => choose(command)}
            />
          ))}
        </div>
        {found.length > 0 ? null : (
          <p className="palette__none muted" role="status">
            Nothing matches “{query.trim()}”.
          </p>
        )}
      </div>
    </dialog>
  );
}
