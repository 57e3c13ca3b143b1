/**
 * A list of objects in the form: each entry is collapsed to a line or expanded to its fields. Entries can be added,
 * moved and removed.
 */
import { type ReactElement, type ReactNode, useState } from 'react';
import { formatPath, type JsonSchema, type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { Button, IconButton } from '../../widgets/controls/button.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { entryText, fieldModel, issuesAt, newEntry, useForm } from './fields.ts';

/** The list with the entry at `from` moved; the unchanged list if the target position does not exist. */
export function moveEntry<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

interface ButtonsProps {
  /** Path of the entry: its list and index. */
  readonly path: Path;
  /** Noun such as `region` for the names of edits. */
  readonly noun: string;
  readonly up?: string;
  readonly down?: string;
}

/** Buttons that move, duplicate and remove a list entry. */
export function EntryButtons({ path, noun, up = 'Move up', down = 'Move down' }: ButtonsProps): ReactElement {
  const form = useForm();
  const list = path.slice(0, -1);
  const index = Number(path.at(-1));
  const value = valueAt(form.draft, list);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  const optional = fieldModel(form.draft, null, list)?.currentDefault !== undefined;
  const put = (next: readonly unknown[], label: string): void =>
    form.edit(list, next.length === 0 && optional ? undefined : next, label);
  const order = `Order of ${noun}s`;
  return (
    <>
      <IconButton
        icon="up"
        size={13}
        label={up}
        disabled={index === 0}
        onPress={() => put(moveEntry(entries, index, index - 1), order)}
      />
      <IconButton
        icon="down"
        size={13}
        label={down}
        disabled={index === entries.length - 1}
        onPress={() => put(moveEntry(entries, index, index + 1), order)}
      />
      <IconButton
        icon="copy"
        size={13}
        label="Duplicate"
        onPress={() =>
          put([...entries.slice(0, index + 1), entries[index], ...entries.slice(index + 1)], `Duplicate ${noun}`)
        }
      />
      <IconButton
        icon="trash"
        size={13}
        label={`Remove ${noun} ${index + 1}`}
        onPress={() =>
          put(
            entries.filter((_, i) => i !== index),
            `Remove ${noun}`,
          )
        }
      />
    </>
  );
}

interface ListProps {
  readonly path: Path;
  readonly entry: JsonSchema;
  /** Renders the field at a path below the list. */
  readonly children: (path: Path) => ReactNode;
}

function Entry({ path, entry, children }: ListProps): ReactElement {
  const form = useForm();
  const [open, setOpen] = useState(false);
  const noun = (entry.title ?? 'entry').toLowerCase();
  const [name, rest] = entryText(entry, valueAt(form.draft, path));
  const issues = issuesAt(form.issues, path);
  const label = name === '' ? `${entry.title ?? 'Entry'} ${Number(path.at(-1)) + 1}` : name;
  return (
    <li
      className="region grid sunken"
      data-path={formatPath(path)}
      data-invalid={issues.some(({ severity }) => severity === 'error')}
    >
      <div className="region__head flex center">
        <button
          type="button"
          className="list-entry flex center gap-s grow"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron' : 'right'} size={12} />
          <strong>{label}</strong>
          <span className="clip nowrap muted">{open ? '' : rest}</span>
        </button>
        {open ? <EntryButtons path={path} noun={noun} /> : null}
      </div>
      {open ? Object.keys(entry.properties ?? {}).map((key) => children([...path, key])) : null}
      {open || issues.length === 0 ? null : (
        <div className="field__faults">
          {issues.map(({ path: at, severity, message }) => (
            <p key={`${at} ${message}`} data-severity={severity}>
              {message}
            </p>
          ))}
        </div>
      )}
    </li>
  );
}

export function ListField({ path, entry, children }: ListProps): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const entries: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const noun = (entry.title ?? 'entry').toLowerCase();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend cannot be part of the form's grid
    <div className="regions" role="group" aria-label={field.title} data-path={field.key}>
      <div className="regions__head flex center">
        <span className="field__name" title={field.description}>
          {field.title}
        </span>
        <Button
          tone="quiet"
          icon="plus"
          disabled={entries.length >= (field.schema.maxItems ?? Number.POSITIVE_INFINITY)}
          onPress={() => form.edit(path, [...entries, newEntry(entry)], `Add ${noun}`)}
        >
          {`Add ${noun}`}
        </Button>
      </div>
      {form.issues
        .filter((issue) => issue.path === field.key)
        .map(({ message }) => (
          <p key={message} className="field__faults">
            {message}
          </p>
        ))}
      {entries.length === 0 ? null : (
        <ol className="regions__list grid gap-m">
          {entries.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: its position identifies an entry
            <Entry key={index} path={[...path, index]} entry={entry}>
              {children}
            </Entry>
          ))}
        </ol>
      )}
    </div>
  );
}
