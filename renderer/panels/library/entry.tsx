/** A file in the library: kind, summary and actions. */
import type { ReactElement } from 'react';
import type { LibraryItem, LibraryPlace } from '../../../electron/contract/files.ts';
import { libraryItemSummary, timeOfDay } from '../../../electron/domain/numbers.ts';
import { classes } from '../../base/classes.ts';
import { MenuButton, type MenuItem } from '../../widgets/floating/menu.tsx';
import { Icon, type IconName } from '../../widgets/words/icon.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { type Bar, barLengths, thumbnailOf } from './thumbnails.ts';

/** Size of the thumbnail next to an example. */
const WIDTH = 48;
const HEIGHT = 30;
const EDGE = 2;

function Bars({ bars }: { readonly bars: readonly Bar[] }): ReactElement {
  const room = (HEIGHT - 2 * EDGE) / bars.length;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {barLengths(bars).map((length, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names, and never change
          key={i}
          className="library-bars__bar"
          data-device={bars[i]?.device}
          data-right={bars[i]?.right}
          x={EDGE}
          y={EDGE + i * room}
          width={length * (WIDTH - 2 * EDGE)}
          height={Math.max(0.75, room * 0.72)}
        />
      ))}
    </svg>
  );
}

function ExampleThumbnail({ file, icon }: { readonly file: string; readonly icon: IconName }): ReactElement {
  const found = thumbnailOf(file);
  return (
    <span className="library-thumbnail grid clip muted">
      {found === null ? <Icon name={icon} size={16} /> : null}
      {found?.kind === 'field' ? <img src={found.url} alt="" width={WIDTH} height={HEIGHT} loading="lazy" /> : null}
      {found?.kind === 'bars' ? <Bars bars={found.bars} /> : null}
    </span>
  );
}

const icons: Readonly<Record<LibraryItem['kind'], IconName>> = {
  scenario: 'sliders',
  run: 'gauge',
  session: 'list',
  kernel: 'edit',
};
const kinds: Readonly<Record<LibraryItem['kind'], string>> = {
  scenario: 'Scenario',
  run: 'Run',
  session: 'Benchmark',
  kernel: 'Kernel',
};

interface EntryProps {
  readonly item: LibraryItem;
  readonly place: LibraryPlace;
  readonly knownTags: readonly string[];
  readonly filterTag: (tag: string) => void;
}

function factText(item: LibraryItem): string {
  return (
    [item.name === '' ? '' : item.fileName, libraryItemSummary(item)].filter(Boolean).join(' · ') || kinds[item.kind]
  );
}

/** Summary of an item: the first sentence of an example's notes; for a run, its facts. */
export function itemSummary(item: LibraryItem): string {
  const [first = ''] = item.notes.split(/(?<=\.)\s/);
  return item.kind === 'scenario' && first !== '' ? first : factText(item);
}

export function Entry({ item, place, knownTags, filterTag }: EntryProps): ReactElement {
  const { files } = useWorkbench();
  const { fileName, name, kind, problem, tags, remark, modified } = item;
  const inTrash = place === 'trash';
  const isExample = place === 'examples';
  const open: MenuItem = { id: 'open', label: 'Open', onChoose: () => void files.open(item) };
  const compare: MenuItem = {
    id: 'compare',
    label: 'Compare with the form…',
    disabled: kind === 'session' || kind === 'kernel' || problem !== null,
    onChoose: () => void files.compareWithDraft(item),
  };
  const own: readonly MenuItem[] = [
    { id: 'label', label: 'Tags and notes…', startsGroup: true, onChoose: () => void files.label(item, knownTags) },
    { id: 'trash', label: 'Move to the trash', onChoose: () => void files.trash(item) },
  ];
  const restore: MenuItem = { id: 'restore', label: 'Put back', onChoose: () => void files.restore(item) };
  const items = inTrash ? [restore] : [open, compare, ...(place === 'yours' ? own : [])];
  return (
    <li className={classes('library-entry grid rounded hoverable', isExample && 'library-entry--example')}>
      <button
        type="button"
        className="library-entry__main grid"
        title={[`${kinds[kind]} ${fileName}`, item.notes].filter(Boolean).join(': ')}
        onClick={() => void (inTrash ? files.restore(item) : files.open(item))}
      >
        {isExample ? <ExampleThumbnail file={item.id} icon={icons[kind]} /> : <Icon name={icons[kind]} size={14} />}
        <span className="library-entry__name semi-strong clip nowrap">{name === '' ? fileName : name}</span>
        {/* An example's time would be that of its installation. */}
        {isExample ? null : <span className="library-entry__time muted">{timeOfDay(modified)}</span>}
        <span className="library-entry__facts muted clip break-anywhere">
          {isExample ? itemSummary(item) : factText(item)}
        </span>
        {problem === null ? null : (
          <span className="library-entry__problem clip break-anywhere danger small">
            <Icon name="error" size={12} /> {problem}
          </span>
        )}
        {remark === '' ? null : <span className="library-entry__remark muted clip break-anywhere">{remark}</span>}
      </button>
      <MenuButton label={`More for ${fileName}`} className="icon-button" align="end" items={items}>
        <Icon name="dots" />
      </MenuButton>
      {tags.length === 0 ? null : (
        <span className="library-entry__tags all-columns flex wrap gap-s">
          {tags.map((tag) => (
            <button
              key={tag}
              type="button"
              className="library-tag ink small"
              title={`Show files tagged ${tag}`}
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
