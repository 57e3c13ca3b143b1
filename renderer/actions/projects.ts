/** Projects that somebody packed: unpacked into the library. */
import type { Came, ProjectPart } from '../../electron/contract/projects/project.ts';
import type { ActionContext } from './context.ts';

const words: Readonly<Record<ProjectPart, readonly [one: string, several: string]>> = {
  scenario: ['scenario', 'scenarios'],
  run: ['run', 'runs'],
  session: ['benchmark', 'benchmarks'],
  study: ['study', 'studies'],
  notes: ['timeline with notes', 'timelines with notes'],
  beside: ['file beside them', 'files beside them'],
};

/** `2 scenarios, 1 study; 3 were there already`. */
function cameText(came: readonly Came[]): string {
  const fresh = came.filter(({ how }) => how === 'new');
  const counted = Object.entries(words).flatMap(([part, [one, several]]) => {
    const n = fresh.filter((each) => each.part === part).length;
    return n === 0 ? [] : [`${n} ${n === 1 ? one : several}`];
  });
  const there = came.filter(({ how }) => how === 'there').length;
  const kept = came.filter(({ how }) => how === 'kept').map(({ name }) => name);
  return [
    counted.length === 0 ? 'nothing new' : counted.join(', '),
    ...(there === 0 ? [] : [`${there} ${there === 1 ? 'was' : 'were'} there already`]),
    ...(kept.length === 0 ? [] : [`another file of the name stays in place of ${kept.join(', ')}`]),
  ].join('; ');
}

export async function unpackLocal(
  { client, stores }: Pick<ActionContext, 'client' | 'stores'>,
  file: File,
): Promise<void> {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { name, came } = await client.call('project.unpack', { source: { kind: 'bytes', name: file.name, bytes } });
    stores.notices.tell({ tone: 'success', title: `Unpacked ${name} into the library`, text: `${cameText(came)}.` });
    stores.layout.reveal(came.some(({ part }) => part !== 'study') ? 'library' : 'studies');
  } catch (error) {
    stores.notices.fail(`${file.name} was not unpacked`, error);
  }
}
