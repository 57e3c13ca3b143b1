/** One file of the library: what it is, what it says, what can be done with it. */
import type { ReactElement } from 'react';
import type { LibraryItem, LibraryPlace } from '../../../electron/contract/library.ts';
import { factsOf } from '../../base/library-facts.ts';
import { clock } from '../../base/time.ts';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon, type IconName } from '../../widgets/words/icon.tsx';
import { useWorkbench } from '../../workbench/context.ts';

const icons: Readonly<Record<LibraryItem['kind'], IconName>> = { scenario: 'sliders', run: 'gauge', session: 'list' };
const kinds: Readonly<Record<LibraryItem['kind'], string>> = {
  scenario: 'Scenario',
  run: 'Run',
  session: 'Benchmark',
};

export interface EntryProps {
  readonly item: LibraryItem;
  readonly place: LibraryPlace;
  readonly knownTags: readonly string[];
  readonly filterTag: (tag: string) => void;
}

export function Entry({ item, place, knownTags, filterTag }: EntryProps): ReactElement {
  const { files } = useWorkbench();
  const { fileName, name, kind, problem, tags, remark, modified } = item;
  const inTrash = place === 'trash';
  const open: MenuItem = { id: 'open', label: 'Open', onChoose: () => void files.open(item) };
  const compare: MenuItem = {
    id: 'compare',
    label: 'Compare with the form…',
    disabled: kind === 'session' || problem !== null,
    onChoose: () => void files.compareWithDraft(item),
  };
  const own: readonly MenuItem[] = [
    { id: 'label', label: 'Tags and remark…', startsGroup: true, onChoose: () => void files.label(item, knownTags) },
    { id: 'trash', label: 'Move to the trash', onChoose: () => void files.trash(item) },
  ];
  const restore: MenuItem = { id: 'restore', label: 'Put back', onChoose: () => void files.restore(item) };
  const items = inTrash ? [restore] : [open, compare, ...(place === 'yours' ? own : [])];
  return (
    <li className="library-entry">
      <button
        type="button"
        className="library-entry__main"
        title={[kinds[kind], item.notes].filter(Boolean).join(': ')}
        onClick={() => void (inTrash ? files.restore(item) : files.open(item))}
      >
        <Icon name={icons[kind]} size={14} />
        <span className="library-entry__name">{name === '' ? fileName : name}</span>
        <span className="library-entry__time">{clock(modified)}</span>
        <span className="library-entry__facts">
          {[name === '' ? '' : fileName, factsOf(item)].filter(Boolean).join(' · ') || kinds[kind]}
        </span>
        {problem === null ? null : (
          <span className="library-entry__problem">
            <Icon name="error" size={12} /> {problem}
          </span>
        )}
        {remark === '' ? null : <span className="library-entry__remark">{remark}</span>}
      </button>
      <MenuButton label={`More for ${fileName}`} className="icon-button" align="end" items={items}>
        <Icon name="dots" />
      </MenuButton>
      {tags.length === 0 ? null : (
        <span className="library-entry__tags">
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className="library-tag"
              title={`Show what is tagged ${tag}`}
              onClick={() => filterTag(tag)}
            >
              {tag}
            </button>
          ))}
        </span>
      )}
    </li>
  );
}
