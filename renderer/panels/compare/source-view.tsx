/** Source code of two variants side by side, with differences highlighted. */
import '../../widgets/words/words.css';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { condenseRows, sourceDiff } from '../../../electron/domain/code-diff.ts';
import { tokenizeLines } from '../../base/code-tokens.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { CONTEXT_LINES, CodeDiff } from '../../widgets/words/code-diff.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ScenarioBench, type ShownRow, useRowsBench, useVariants } from './store.ts';

type Files = Result<'variant.sources'>['files'];

type SourcesLoad =
  | Readonly<{ kind: 'loading' }>
  | Readonly<{ kind: 'files'; files: Files }>
  | Readonly<{ kind: 'failed'; reason: string }>;

function useSources(variant: string, { workload, bench }: ScenarioBench): SourcesLoad {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<SourcesLoad>({ kind: 'loading' });
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

interface PickProps {
  readonly side: 'Left' | 'Right';
  readonly variant: string;
  readonly variants: readonly string[];
  readonly files: Files;
  readonly path: string;
  readonly onVariant: (variant: string) => void;
  readonly onPath: (path: string) => void;
}

function SourcePicker({ side, variant, variants, files, path, onVariant, onPath }: PickProps): ReactElement {
  return (
    <span className="flex gap-s">
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

/**
 * Path of the file to show first: the file with the variant's kernels, or the variant's own file if both variants have
 * the same kernels.
 */
function initialFile(files: Files, source: string, other: string): string {
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
  // Ignore a variant that was selected for another benchmark.
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
    files.some((file) => file.path === path) && path !== null
      ? path
      : initialFile(files, sourceOf(own), sourceOf(other));
  const pathA = pathOf(filesA, paths.left, left, right);
  const pathB = pathOf(filesB, paths.right, right, left);
  const textA = filesA.find(({ path }) => path === pathA)?.text;
  const textB = filesB.find(({ path }) => path === pathB)?.text;
  const code = useMemo(() => {
    if (textA === undefined || textB === undefined) return null;
    const [linesA, linesB] = [textA.replace(/\n$/, '').split('\n'), textB.replace(/\n$/, '').split('\n')];
    const all = sourceDiff(linesA, linesB);
    const differing = all.filter(({ kind }) => kind !== 'same').length;
    return { all, differing, left: tokenizeLines(linesA), right: tokenizeLines(linesB) };
  }, [textA, textB]);
  const failure = a.kind === 'failed' ? a.reason : b.kind === 'failed' ? b.reason : null;
  return (
    <>
      <div className="compare-bar compare-bar--source">
        <SourcePicker
          side="Left"
          variant={left}
          variants={ids}
          files={filesA}
          path={pathA}
          onVariant={(variant) => setPicked((before) => ({ ...before, left: variant }))}
          onPath={(path) => setPaths((before) => ({ ...before, left: path }))}
        />
        <SourcePicker
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
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
          <CodeDiff
            rows={onlyDifferences ? condenseRows(code.all, CONTEXT_LINES) : code.all}
            left={code.left}
            right={code.right}
          />
        )}
      </section>
    </>
  );
}
