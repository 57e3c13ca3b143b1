/** Source code of two variants side by side, with differences highlighted. */
import '../../widgets/words/code-tokens.css';
import { diffArrays, diffWordsWithSpace } from 'diff';
import { type ReactElement, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { highlighted, type Token } from '../../base/code-tokens.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { ShownRow } from './rows.ts';
import type { CompareStore } from './store.ts';
import { type Benched, useRowsBench, useVariants } from './variants.ts';

/** Line-by-line diff of two files, with differences inside lines. No React. */
interface Side {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Ranges that differ from the opposite line: start and end, in characters. */
  readonly changed: readonly (readonly [from: number, to: number])[];
}

interface DiffRow {
  readonly kind: 'same' | 'changed' | 'left' | 'right';
  readonly left: Side | null;
  readonly right: Side | null;
}

/** Lines with less than this in common are others, and not the same ones changed. */
const LEAST_COMMON = 0.35;

interface Parts {
  readonly left: Side['changed'];
  readonly right: Side['changed'];
  readonly common: number;
}

function partsOf(left: string, right: string): Parts {
  const [l, r]: [[number, number][], [number, number][]] = [[], []];
  let [atLeft, atRight, common] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(left, right)) {
    if (added) r.push([atRight, atRight + value.length]);
    else if (removed) l.push([atLeft, atLeft + value.length]);
    else common += value.trim().length;
    if (!added) atLeft += value.length;
    if (!removed) atRight += value.length;
  }
  const most = Math.max(left.trim().length, right.trim().length);
  return { left: l, right: r, common: most === 0 ? 1 : common / most };
}

export function sourceDiff(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [atLeft, atRight] = [0, 0];
  const side = (text: string, line: number, changed: Side['changed'] = []): Side => ({ line, text, changed });
  const only = (removed: readonly string[], added: readonly string[]): void => {
    const paired = Math.min(removed.length, added.length);
    for (let i = 0; i < paired; i += 1) {
      const [a, b] = [removed[i] ?? '', added[i] ?? ''];
      const parts = partsOf(a, b);
      const alike = parts.common >= LEAST_COMMON;
      const from = side(a, atLeft + i + 1, alike ? parts.left : []);
      const to = side(b, atRight + i + 1, alike ? parts.right : []);
      rows.push({ kind: 'changed', left: from, right: to });
    }
    for (let i = paired; i < removed.length; i += 1) {
      rows.push({ kind: 'left', left: side(removed[i] ?? '', atLeft + i + 1), right: null });
    }
    for (let i = paired; i < added.length; i += 1) {
      rows.push({ kind: 'right', left: null, right: side(added[i] ?? '', atRight + i + 1) });
    }
    atLeft += removed.length;
    atRight += added.length;
  };
  let waiting: readonly string[] = [];
  for (const { value, added, removed } of diffArrays([...left], [...right])) {
    if (removed) waiting = value;
    else if (added) {
      only(waiting, value);
      waiting = [];
    } else {
      only(waiting, []);
      waiting = [];
      for (const text of value) {
        rows.push({ kind: 'same', left: side(text, atLeft + 1), right: side(text, atRight + 1) });
        atLeft += 1;
        atRight += 1;
      }
    }
  }
  only(waiting, []);
  return rows;
}

/** Rows within `around` lines of a difference; a null stands for what was left out. */
export function condensed(rows: readonly DiffRow[], around: number): readonly (DiffRow | null)[] {
  const near = rows.map(() => false);
  rows.forEach(({ kind }, i) => {
    if (kind === 'same') return;
    for (let j = Math.max(0, i - around); j <= Math.min(rows.length - 1, i + around); j += 1) near[j] = true;
  });
  const out: (DiffRow | null)[] = [];
  rows.forEach((row, i) => {
    if (near[i]) out.push(row);
    else if (i === 0 || near[i - 1]) out.push(null);
  });
  return out;
}

type Files = Result<'variant.sources'>['files'];

type Loaded =
  | Readonly<{ kind: 'loading' }>
  | Readonly<{ kind: 'files'; files: Files }>
  | Readonly<{ kind: 'failed'; reason: string }>;

/** Lines around a difference, where the rest is left out. */
const AROUND = 4;

function useSources(variant: string, { workload, bench }: Benched): Loaded {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  useEffect(() => {
    let current = true;
    setLoaded({ kind: 'loading' });
    if (variant === '') return;
    client.call('variant.sources', { variant, workload, bench }).then(
      ({ files }) => current && setLoaded({ kind: 'files', files }),
      (error: unknown) => current && setLoaded({ kind: 'failed', reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, variant, workload, bench]);
  return loaded;
}

/** Tokens of a line, cut where what differs begins and ends. */
function codeOf(tokens: readonly Token[], changed: Side['changed']): readonly ReactNode[] {
  const out: ReactNode[] = [];
  let at = 0;
  for (const { kind, text } of tokens) {
    const end = at + text.length;
    const cuts = [at, ...changed.flat().filter((cut) => cut > at && cut < end), end];
    for (let i = 0; i + 1 < cuts.length; i += 1) {
      const [from, to] = [cuts[i] ?? at, cuts[i + 1] ?? end];
      const differs = changed.some(([low, high]) => from >= low && to <= high);
      const part = text.slice(from - at, to - at);
      const key = `${from}`;
      out.push(
        differs ? (
          <mark key={key} className={`code-${kind}`}>
            {part}
          </mark>
        ) : (
          <span key={key} className={`code-${kind}`}>
            {part}
          </span>
        ),
      );
    }
    at = end;
  }
  return out;
}

interface CodeProps {
  readonly rows: readonly (DiffRow | null)[];
  readonly left: readonly (readonly Token[])[];
  readonly right: readonly (readonly Token[])[];
}

function Half({ side, tokens }: { readonly side: Side | null; readonly tokens: CodeProps['left'] }): ReactElement {
  return (
    <>
      <td className="code__number">{side?.line}</td>
      <td className="code__line" data-absent={side === null}>
        {side === null ? null : <code>{codeOf(tokens[side.line - 1] ?? [], side.changed)}</code>}
      </td>
    </>
  );
}

function Code({ rows, left, right }: CodeProps): ReactElement {
  return (
    <table className="code">
      <tbody>
        {rows.map((row, i) =>
          row === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: nothing else identifies a gap
            <tr key={`gap ${i}`} className="code__gap">
              <td colSpan={4}>⋯</td>
            </tr>
          ) : (
            <tr key={`${row.left?.line ?? ''} ${row.right?.line ?? ''}`} data-kind={row.kind}>
              <Half side={row.left} tokens={left} />
              <Half side={row.right} tokens={right} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

interface PickProps {
  readonly side: 'Left' | 'Right';
  readonly variant: string;
  readonly variants: readonly string[];
  readonly files: Files;
  readonly path: string;
  readonly onVariant: (variant: string) => void;
  readonly onPath: (path: string) => void;
}

function Pick({ side, variant, variants, files, path, onVariant, onPath }: PickProps): ReactElement {
  return (
    <span className="code-pick">
      <Select
        label={`${side} variant`}
        value={variant}
        options={variants.map((id) => ({ value: id, label: id }))}
        onChange={onVariant}
      />
      <Select
        label={`${side} file`}
        value={path}
        options={files.map((file) => ({ value: file.path, label: file.path.replace(/^kernels\//, '') }))}
        onChange={onPath}
      />
    </span>
  );
}

/** The file with a variant's kernels; its own file where both sides have the same kernels. */
function startFile(files: Files, source: string, other: string): string {
  const wanted = source === other ? files[0]?.path : files.find(({ path }) => path === source)?.path;
  return wanted ?? files[0]?.path ?? '';
}

export function SourceView({
  store,
  rows,
}: {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}): ReactElement {
  const of = useRowsBench(rows);
  const known = useVariants(of);
  const onlyDifferences = useSelected(store, (state) => state.onlyDifferences);
  const ids = known.map(({ id }) => id);
  const inRows = [...new Set(rows.map(({ row }) => row.variant))].filter((id) => ids.includes(id));
  const reference = rows.find((one) => one.reference)?.row.variant ?? '';
  const startLeft = ids.includes(reference) ? reference : (inRows[0] ?? ids[0] ?? '');
  const [picked, setPicked] = useState<{ left: string | null; right: string | null }>({ left: null, right: null });
  // Ignore a selection from another benchmark.
  const still = (id: string | null): string | null => (id !== null && ids.includes(id) ? id : null);
  const left = still(picked.left) ?? startLeft;
  const next = known.find(({ buildsOn }) => buildsOn === left)?.id;
  const right = still(picked.right) ?? inRows.find((id) => id !== left) ?? next ?? left;
  const [paths, setPaths] = useState<{ left: string | null; right: string | null }>({ left: null, right: null });
  const [a, b] = [useSources(left, of), useSources(right, of)];
  const sourceOf = (id: string): string => known.find((one) => one.id === id)?.source ?? '';
  const filesA = a.kind === 'files' ? a.files : [];
  const filesB = b.kind === 'files' ? b.files : [];
  const pathOf = (files: Files, path: string | null, own: string, other: string): string =>
    files.some((file) => file.path === path) && path !== null ? path : startFile(files, sourceOf(own), sourceOf(other));
  const pathA = pathOf(filesA, paths.left, left, right);
  const pathB = pathOf(filesB, paths.right, right, left);
  const textA = filesA.find(({ path }) => path === pathA)?.text;
  const textB = filesB.find(({ path }) => path === pathB)?.text;
  const code = useMemo(() => {
    if (textA === undefined || textB === undefined) return null;
    const [linesA, linesB] = [textA.replace(/\n$/, '').split('\n'), textB.replace(/\n$/, '').split('\n')];
    const all = sourceDiff(linesA, linesB);
    const differing = all.filter(({ kind }) => kind !== 'same').length;
    return { all, differing, left: highlighted(linesA), right: highlighted(linesB) };
  }, [textA, textB]);
  const failure = a.kind === 'failed' ? a.reason : b.kind === 'failed' ? b.reason : null;
  return (
    <>
      <div className="compare-bar compare-bar--source">
        <Pick
          side="Left"
          variant={left}
          variants={ids}
          files={filesA}
          path={pathA}
          onVariant={(variant) => setPicked((before) => ({ ...before, left: variant }))}
          onPath={(path) => setPaths((before) => ({ ...before, left: path }))}
        />
        <Pick
          side="Right"
          variant={right}
          variants={ids}
          files={filesB}
          path={pathB}
          onVariant={(variant) => setPicked((before) => ({ ...before, right: variant }))}
          onPath={(path) => setPaths((before) => ({ ...before, right: path }))}
        />
        <span className="panel-readout">
          {code === null ? '' : code.differing === 0 ? 'no line differs' : `${code.differing} lines differ`}
        </span>
        <Button
          tone="quiet"
          pressed={onlyDifferences}
          onPress={() => store.setState({ onlyDifferences: !onlyDifferences })}
        >
          Only differences
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the keyboard's focus */}
      <section className="compare-scroll" aria-label="Source" tabIndex={0} data-testid="compare-source">
        {failure === null ? null : (
          <EmptyState
            icon="error"
            tone="error"
            title="The source could not be read"
            action={<Button onPress={() => store.setState({ view: 'table' })}>Show the table</Button>}
          >
            {failure}
          </EmptyState>
        )}
        {code === null ? null : (
          <Code rows={onlyDifferences ? condensed(code.all, AROUND) : code.all} left={code.left} right={code.right} />
        )}
      </section>
    </>
  );
}
