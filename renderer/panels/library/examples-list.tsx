/** The examples under the questions that they answer. */
import { Fragment, type ReactElement, useEffect, useState } from 'react';
import groups from '../../../assets/examples/groups.json';
import type { LibraryItem } from '../../../electron/contract/library.ts';
import type { Beginning } from '../../../electron/contract/user-kernels.ts';
import { Icon } from '../../widgets/words/icon.tsx';
import { useBeginning } from '../../workbench/beginning.ts';
import { useWorkbench } from '../../workbench/context.ts';

// Templates for user kernels, listed among the examples: each is created in the user's library and opens in the editor.

/** Formula of each template, shown as its thumbnail. */
const formulas: Readonly<Record<string, string>> = { 'vector-add': 'a + b', reduction: 'Σ a', stencil: '← a →' };

/** Templates that contain every searched word. */
export function sought(all: readonly Beginning[], text: string): readonly Beginning[] {
  const words = text.toLowerCase().split(/\s+/);
  return all.filter(({ title, says }) => {
    const own = `kernel of your own ${title} ${says}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
}

function Beginnings({ text }: { readonly text: string }): ReactElement | null {
  const { client, stores } = useWorkbench();
  const [all, setAll] = useState<readonly Beginning[]>([]);
  const begin = useBeginning();
  useEffect(() => {
    let current = true;
    client.call('userKernels.beginnings', {}).then(
      ({ beginnings }) => current && setAll(beginnings),
      (error: unknown) => current && stores.notices.fail('The kernels to begin with were not read', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores]);
  const shown = sought(all, text);
  if (shown.length === 0) return null;
  return (
    <>
      <h2 className="library-panel__about">Kernels of your own</h2>
      <h3 className="library-panel__question">How is one begun from nothing?</h3>
      <ul>
        {shown.map(({ id, title, says }) => (
          <li key={id} className="library-entry library-entry--example">
            <button
              type="button"
              className="library-entry__main"
              title={`${title}: a kernel, its expected answer in Python or TypeScript, and a scenario that runs it`}
              onClick={() => void begin(id)}
            >
              <span className="library-thumbnail library-thumbnail--formula" aria-hidden="true">
                {formulas[id] ?? <Icon name="edit" size={16} />}
              </span>
              <span className="library-entry__name">{title}</span>
              <span className="library-entry__facts">{`On a CPU or a GPU: ${says}.`}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The examples in the order in which they are read: by workload, and by the question that they answer. */
interface ExampleGroup {
  /** Subject; groups of one subject are adjacent. */
  readonly about: string;
  readonly question: string;
  /** Keys in the library, in their order. */
  readonly files: readonly string[];
}

/** A further example is its file, and its place in that list. */
export const exampleGroups: readonly ExampleGroup[] = groups;

interface ShownGroup {
  readonly about: string;
  /** The first of its subject has its heading. */
  readonly heads: boolean;
  readonly question: string;
  readonly items: readonly LibraryItem[];
}

/** Items in their groups; ungrouped items come last, under “Not sorted”. Empty groups are omitted. */
export function grouped(items: readonly LibraryItem[]): readonly ShownGroup[] {
  const byKey = new Map(items.map((item) => [item.id, item]));
  const known = new Set(exampleGroups.flatMap(({ files }) => files));
  const others: ExampleGroup = {
    about: 'Others',
    question: 'Not sorted',
    files: items.map(({ id }) => id).filter((id) => !known.has(id)),
  };
  const filled = [...exampleGroups, others]
    .map((group) => ({ ...group, items: group.files.flatMap((file) => byKey.get(file) ?? []) }))
    .filter((group) => group.items.length > 0);
  return filled.map(({ about, question, items: own }, i) => ({
    about,
    question,
    items: own,
    heads: filled[i - 1]?.about !== about,
  }));
}

interface ExamplesProps {
  readonly items: readonly LibraryItem[];
  /** Search text; null if filtered by kind or tag, which kernel templates do not have. */
  readonly text: string | null;
  readonly entry: (item: LibraryItem) => ReactElement;
}

export function Examples({ items, text, entry }: ExamplesProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section className="library-panel__list" aria-label="Examples" tabIndex={0}>
      {grouped(items).map(({ about, heads, question, items: own }) => (
        <Fragment key={question}>
          {heads ? <h2 className="library-panel__about">{about}</h2> : null}
          <h3 className="library-panel__question">{question}</h3>
          <ul>{own.map(entry)}</ul>
        </Fragment>
      ))}
      {text === null ? null : <Beginnings text={text} />}
    </section>
  );
}
