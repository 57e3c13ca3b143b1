/** PTX and SASS of a kernel next to its source, or of two kernels with their differences. */
import '../../widgets/words/words.css';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import {
  type Code,
  type CodeLanguage,
  codeLanguages,
  type KernelProfile,
} from '../../../electron/contract/launches.ts';
import {
  addressText,
  codeMismatchWarning,
  condenseRows,
  type DiffSide,
  type LineHeat,
  type ListingHeat,
  listInstructions,
  listingHeat,
  opcodeCounts,
  sourceDiff,
  sourcePosition,
  withoutRegisterNames,
} from '../../../electron/domain/code-diff.ts';
import { computeOccupancy, publishedLimits, publishedLimitsOf } from '../../../electron/domain/launch/occupancy.ts';
import { count, NO_VALUE, percent } from '../../../electron/domain/numbers.ts';
import { tokenizeLines } from '../../base/code-tokens.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { CONTEXT_LINES, codeOf } from '../../widgets/words/code-diff.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ScenarioBench, type ShownRow, useRowsBench, useVariants } from './store.ts';

/** Option of the select that stands for no second variant. */
const NO_VARIANT = '';
/** Block size of a kernel without launch bounds. */
const DEFAULT_THREADS = 256;
/** Number of rows drawn initially, because longer tables are slow to lay out. */
const FIRST_ROWS = 3000;
const MAX_OPCODES = 8;

type CodeLoad = Readonly<{ code: Code | null; failure: string | null }>;
const noCode: CodeLoad = { code: null, failure: null };

interface RequestedCode extends ScenarioBench {
  readonly variant: string;
  readonly kernel: string | null;
  readonly architecture: string;
  readonly language: CodeLanguage;
}

function useCode({ variant, workload, bench, kernel, architecture, language }: RequestedCode): CodeLoad {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<CodeLoad>(noCode);
  useEffect(() => {
    let current = true;
    setLoaded(noCode);
    if (variant === NO_VARIANT) return;
    const subject = { kind: 'variant', variant, workload, bench, kernel } as const;
    client.call('launch.code', { subject, architecture, language }).then(
      (code) => current && setLoaded({ code, failure: null }),
      (error: unknown) => current && setLoaded({ code: null, failure: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, variant, workload, bench, kernel, architecture, language]);
  return loaded;
}

/** Facts about a listing's kernel by name: registers, spills, shared memory and occupancy. */
function numbersOf({ resource, architecture, lines, language }: Code, gpu: string) {
  const instructions = lines.length === 0 ? NO_VALUE : count(listInstructions(lines, language));
  if (resource === null) return { Instructions: instructions, Architecture: architecture };
  const limits = publishedLimitsOf(gpu);
  const threads = resource.max_threads ?? DEFAULT_THREADS;
  const occupancy = limits === null ? null : computeOccupancy(resource, limits, threads);
  const { spill_store_bytes: stores, spill_load_bytes: loads } = resource;
  return {
    Registers: `${count(resource.registers)} per thread`,
    Spills: stores === null || loads === null ? 'not reported' : `${count(stores)} B stored, ${count(loads)} B loaded`,
    Stack: `${count(resource.stack_bytes)} B per thread`,
    'Shared memory': `${count(resource.shared_bytes)} B per block`,
    Occupancy:
      occupancy === null
        ? NO_VALUE
        : `${percent(occupancy.share)} at ${threads} threads, limited by ${occupancy.limitedBy.join(', ')}`,
    Instructions: instructions,
    Architecture: architecture,
  };
}

function Resources({ sides, gpu }: { readonly sides: readonly Code[]; readonly gpu: string }): ReactElement {
  const all = sides.map((code) => new Map<string, string>(Object.entries(numbersOf(code, gpu))));
  const names = [...new Set(all.flatMap((one) => [...one.keys()]))];
  return (
    <table className="code-resources small" aria-label="Resources">
      <tbody>
        {names.map((name) => {
          const texts = all.map((one) => one.get(name) ?? NO_VALUE);
          return (
            <tr key={name} data-differs={new Set(texts).size > 1 || undefined}>
              <th scope="row">{name}</th>
              {texts.map((text, i) => (
                <td key={`${sides[i]?.kernel} ${i === 0 ? 'left' : 'right'}`}>{text}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

const heatTitle = (heat: LineHeat | null | undefined): string | undefined =>
  heat == null
    ? undefined
    : `${count(heat.value)}, ${percent(heat.share)}${heat.reason === null ? '' : `; main stall reason: ${heat.reason}`}`;

function HeatCell({ heat }: { readonly heat: LineHeat | null | undefined }): ReactElement {
  const shown = heat != null && heat.value > 0 ? heat : null;
  return (
    <td className="code__heat" title={heatTitle(shown)}>
      {shown === null ? null : (
        <span style={{ '--heat': Math.min(1, shown.share) } as React.CSSProperties}>{percent(shown.share)}</span>
      )}
    </td>
  );
}

interface ListingCellsProps {
  readonly side: DiffSide | null;
  readonly code: Code;
  readonly heat: ListingHeat | null;
}

function ListingCells({ side, code, heat }: ListingCellsProps): ReactElement {
  const at = side === null ? undefined : code.lines[side.line - 1];
  return (
    <>
      {heat === null ? null : <HeatCell heat={side === null ? null : heat.lines[side.line - 1]} />}
      <td className="code__number">
        {at === undefined ? '' : code.language === 'ptx' ? side?.line : addressText(at.address)}
      </td>
      <td
        className="code__line"
        data-absent={side === null}
        title={at === undefined ? undefined : sourcePosition(code, at)}
      >
        {side === null ? null : <code>{codeOf([{ kind: 'plain', text: side.text }], side.changed)}</code>}
      </td>
    </>
  );
}

interface ListingPairProps {
  readonly left: Code;
  readonly right: Code;
  readonly rows: readonly (ReturnType<typeof sourceDiff>[number] | null)[];
  readonly hot: readonly KernelProfile[];
}

/**
 * Hardware counters of the kernel in a listing; null if there are none, and for PTX if the counters refer to SASS
 * addresses only.
 */
const countersOf = (hot: readonly KernelProfile[], { kernel, language }: Code): KernelProfile | null =>
  language === 'ptx' && hot.every(({ places }) => places.every(({ address }) => address !== null))
    ? null
    : (hot.find((one) => one.kernel === kernel) ?? null);

function ListingPair({ left, right, rows, hot }: ListingPairProps): ReactElement {
  const [all, setAll] = useState(false);
  const heats = [left, right].map((code) => listingHeat(code, countersOf(hot, code)));
  const [a, b] = heats.map((heat) => (hot.length === 0 ? null : heat));
  const shown = all ? rows : rows.slice(0, FIRST_ROWS);
  return (
    <>
      <table className="code wide small" data-hot={hot.length > 0}>
        <tbody>
          {shown.map((row, i) =>
            row === null ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: nothing else identifies a gap
              <tr key={`gap ${i}`} className="code__gap">
                <td className="faint sunken" colSpan={hot.length > 0 ? 6 : 4}>
                  ⋯
                </td>
              </tr>
            ) : (
              <tr key={`${row.left?.line ?? ''} ${row.right?.line ?? ''}`} data-kind={row.kind}>
                <ListingCells side={row.left} code={left} heat={a ?? null} />
                <ListingCells side={row.right} code={right} heat={b ?? null} />
              </tr>
            ),
          )}
        </tbody>
      </table>
      <ShowAllRows rows={rows.length} shown={shown.length} onAll={() => setAll(true)} />
    </>
  );
}

function ShowAllRows(props: { readonly rows: number; readonly shown: number; readonly onAll: () => void }) {
  return props.rows === props.shown ? null : (
    <p className="compare-notes">
      {count(props.rows - props.shown)} further lines. <Button onPress={props.onAll}>Show all</Button>
    </p>
  );
}

function Opcodes(props: Pick<ListingPairProps, 'left' | 'right'>): ReactElement | null {
  const { left, right } = props;
  const differing = useMemo(
    () => opcodeCounts(left.lines, right.lines, left.language).filter((one) => one.left !== one.right),
    [left, right],
  );
  if (differing.length === 0) return null;
  const changes = differing.slice(0, MAX_OPCODES).map((one) => `${one.opcode} ${one.left} → ${one.right}`);
  const more = differing.length > MAX_OPCODES ? `, and ${differing.length - MAX_OPCODES} more` : '';
  return (
    <p className="compare-notes">
      Instructions with different counts: {changes.join(', ')}
      {more}.
    </p>
  );
}

interface ListingProps {
  readonly code: Code;
  readonly hot: readonly KernelProfile[];
}

/** Source and listing next to each other; pressing a line marks its counterparts. */
function WithSource({ code, hot }: ListingProps): ReactElement {
  const counts = new Map<string, number>();
  for (const { file, line } of code.lines) {
    if (file !== null && line !== null) counts.set(`${file}:${line}`, (counts.get(`${file}:${line}`) ?? 0) + 1);
  }
  const readable = code.files.flatMap(({ path, text }, i) => (text === null ? [] : [{ path, text, i }]));
  const inFile = (i: number): number => code.lines.filter(({ file }) => file === i).length;
  const usual = readable.toSorted((a, b) => inFile(b.i) - inFile(a.i))[0];
  const [picked, setPicked] = useState<string | null>(null);
  const [marked, setMarked] = useState<{ readonly file: number; readonly line: number } | null>(null);
  const [all, setAll] = useState(false);
  const listing = useRef<HTMLElement>(null);
  const source = useRef<HTMLElement>(null);
  const file = readable.find(({ path }) => path === picked) ?? usual;
  const lines = useMemo(() => file?.text.replace(/\n$/, '').split('\n') ?? [], [file?.text]);
  const tokens = useMemo(() => tokenizeLines(lines), [lines]);
  const heat = listingHeat(code, countersOf(hot, code));
  const isMarked = (one: { readonly file: number | null; readonly line: number | null }): boolean =>
    marked !== null && one.file === marked.file && one.line === marked.line;
  // Scroll to the counterpart; the pressed line stays in place.
  const mark = (at: { readonly file: number; readonly line: number }, into: 'source' | 'listing'): void => {
    setMarked(at);
    const path = code.files[at.file]?.path ?? null;
    if (into === 'source') setPicked(path);
    const region = (into === 'source' ? source : listing).current;
    requestAnimationFrame(() => region?.querySelector('[data-marked]')?.scrollIntoView({ block: 'center' }));
  };
  // Begin at the kernel's first line.
  const first = file === undefined ? undefined : code.lines.find((one) => one.file === file.i)?.line;
  useEffect(() => {
    const row = source.current?.querySelector(`[data-line="${first ?? 1}"]`);
    row?.scrollIntoView({ block: 'start' });
  }, [first]);
  const shown = all ? code.lines : code.lines.slice(0, FIRST_ROWS);
  return (
    <div className="code-pair grid grow">
      <div className="code-pair__half stack">
        {readable.length < 2 || file === undefined ? (
          <span className="panel-readout">
            {file?.path ?? 'No source: the file that the compiler recorded does not exist on this machine.'}
          </span>
        ) : (
          <Select
            label="Source file"
            value={file.path}
            options={readable.map(({ path }) => ({ value: path, label: path.replace(/^kernels\//, '') }))}
            onChange={setPicked}
          />
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
        <section className="compare-scroll" aria-label="Source of the kernel" tabIndex={0} ref={source}>
          <table className="code wide small code--source">
            <tbody>
              {lines.map((_, i) => {
                const line = i + 1;
                const made = file === undefined ? 0 : (counts.get(`${file.i}:${line}`) ?? 0);
                const at = { file: file?.i ?? 0, line };
                return (
                  <tr
                    key={line}
                    data-line={line}
                    data-marked={isMarked(at) || undefined}
                    data-made={made > 0 || undefined}
                  >
                    {hot.length === 0 ? null : <HeatCell heat={heat.sources.get(`${file?.path}:${line}`)} />}
                    <td className="code__number">{line}</td>
                    <td className="code__made" title={made === 0 ? undefined : `${made} lines of the listing`}>
                      {made === 0 ? null : (
                        <button
                          type="button"
                          aria-label={`Line ${line}: ${made} in the listing`}
                          onClick={() => mark(at, 'listing')}
                        >
                          {made}
                        </button>
                      )}
                    </td>
                    <td className="code__line">
                      <code>{codeOf(tokens[i] ?? [], [])}</code>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      </div>
      <div className="code-pair__half stack">
        <span className="panel-readout">
          {code.kernel}, {code.architecture}, {code.by}
        </span>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
        <section className="compare-scroll" aria-label="Listing" tabIndex={0} ref={listing}>
          <table className="code wide small code--listing">
            <tbody>
              {shown.map((line, i) => (
                <tr
                  // biome-ignore lint/suspicious/noArrayIndexKey: lines of a listing never move
                  key={i}
                  data-marked={isMarked(line) || undefined}
                >
                  {hot.length === 0 ? null : <HeatCell heat={heat.lines[i]} />}
                  <td className="code__number">{addressText(line.address)}</td>
                  <td className="code__line">
                    <code>{line.text}</code>
                  </td>
                  <td className="code__place">
                    {line.file === null || line.line === null ? null : (
                      <button
                        type="button"
                        onClick={() => mark({ file: line.file ?? 0, line: line.line ?? 0 }, 'source')}
                      >
                        {sourcePosition(code, line)}
                      </button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <ShowAllRows rows={code.lines.length} shown={shown.length} onAll={() => setAll(true)} />
        </section>
      </div>
    </div>
  );
}

function useArchitectures(variant: string, { workload, bench }: ScenarioBench): readonly string[] {
  const { client } = useWorkbench();
  const [found, setFound] = useState<readonly string[]>([]);
  useEffect(() => {
    let current = true;
    if (variant === NO_VARIANT) return;
    client.call('variant.resources', { variant, session: null, workload, bench }).then(
      ({ resources }) =>
        current && setFound([...new Set(resources?.kernels.map(({ architecture }) => architecture) ?? [])]),
      () => current && setFound([]),
    );
    return () => {
      current = false;
    };
  }, [client, variant, workload, bench]);
  const published = useMemo(() => [...new Set(publishedLimits.map(({ architecture }) => architecture))], []);
  return found.length > 0 ? found : published;
}

/** Imports the source page of an Nsight Compute report. */
function CounterImport(props: {
  readonly hot: readonly KernelProfile[];
  readonly onHot: (hot: readonly KernelProfile[]) => void;
}): ReactElement {
  const { client, stores } = useWorkbench();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        tone="quiet"
        title="CSV of ncu --import REPORT --page source --csv --print-source sass: samples of each instruction"
        onPress={() => (props.hot.length > 0 ? props.onHot([]) : input.current?.click())}
      >
        {props.hot.length > 0 ? 'Without hot lines' : 'Hot lines from ncu…'}
      </Button>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label="CSV of Nsight Compute"
        data-testid="hot-lines-file"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file === undefined) return;
          file
            .text()
            .then((text) => client.call('launch.hot', { name: file.name, text }))
            .then(
              ({ kernels }) => props.onHot(kernels),
              (error: unknown) => stores.notices.fail(`${file.name} has no hot lines`, error),
            );
          currentTarget.value = '';
        }}
      />
    </>
  );
}

interface PickProps {
  readonly side: 'Left' | 'Right';
  readonly variant: string;
  readonly variants: readonly string[];
  readonly code: Code | null;
  readonly onVariant: (variant: string) => void;
  readonly onKernel: (kernel: string) => void;
}

function VariantPicker({ side, variant, variants, code, onVariant, onKernel }: PickProps): ReactElement {
  const options = variants.map((id) => ({ value: id, label: id }));
  return (
    <span className="flex gap-s">
      <Select
        label={side === 'Left' ? 'Variant' : 'Compared with'}
        value={variant}
        options={side === 'Left' ? options : [{ value: NO_VARIANT, label: 'its source' }, ...options]}
        onChange={onVariant}
      />
      {code === null || variant === NO_VARIANT ? null : (
        <Select
          label={`${side} kernel`}
          value={code.kernel}
          options={code.kernels.map((name) => ({ value: name, label: name }))}
          onChange={onKernel}
        />
      )}
    </span>
  );
}

const languages = { sass: 'SASS', ptx: 'PTX' } as const;

export function MachineCodeView({
  store,
  rows,
}: {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}): ReactElement {
  const of = useRowsBench(rows);
  const all = useVariants(of);
  const ids = useMemo(() => all.filter(({ device }) => device === 'cuda').map(({ id }) => id), [all]);
  const onlyDifferences = useSelected(store, (state) => state.onlyDifferences);
  const [picked, setPicked] = useState<{ left: string | null; right: string }>({ left: null, right: NO_VARIANT });
  const [kernels, setKernels] = useState<{ left: string | null; right: string | null }>({ left: null, right: null });
  const [language, setLanguage] = useState<CodeLanguage>('sass');
  const [exact, setExact] = useState(false);
  const [wanted, setWanted] = useState<string | null>(null);
  const [imported, setImported] = useState<readonly KernelProfile[]>([]);
  const inRows = rows.map(({ row }) => row.variant).find((id) => ids.includes(id));
  const left = picked.left !== null && ids.includes(picked.left) ? picked.left : (inRows ?? ids[0] ?? NO_VARIANT);
  const right = ids.includes(picked.right) ? picked.right : NO_VARIANT;
  const architectures = useArchitectures(left, of);
  const architecture =
    wanted !== null && architectures.includes(wanted)
      ? wanted
      : (architectures.find((one) => one === 'sm_90') ?? architectures[0] ?? 'sm_90');
  const request = { ...of, architecture, language };
  const a = useCode({ ...request, variant: left, kernel: kernels.left });
  const b = useCode({ ...request, variant: right, kernel: kernels.right });
  const diff = useMemo(() => {
    const [one, two] = [a.code, b.code];
    if (one === null || two === null || one.lines.length === 0 || two.lines.length === 0) return null;
    const texts = ({ lines }: Code): string[] => lines.map(({ text }) => text);
    return sourceDiff(texts(one), texts(two), exact ? undefined : withoutRegisterNames(one.language));
  }, [a.code, b.code, exact]);
  const differing = diff?.filter(({ kind }) => kind !== 'same').length ?? null;
  const sides = [a.code, right === NO_VARIANT ? null : b.code].filter((code) => code !== null);
  const isCounted = sides.some((code) => countersOf(imported, code) !== null);
  const hot = isCounted ? imported : [];
  const troubles = [
    ...new Set(
      [
        a.failure,
        right === NO_VARIANT ? null : b.failure,
        ...sides.flatMap((code) => [code.missing, codeMismatchWarning(code, countersOf(hot, code))]),
      ].filter((one) => one !== null),
    ),
  ];
  const dropped = sides.reduce((sum, one) => sum + one.dropped, 0);
  if (ids.length === 0) {
    return (
      <EmptyState
        icon="gauge"
        title="No GPU kernels"
        action={<Button onPress={() => store.setState({ view: 'choose' })}>Choose variants</Button>}
      >
        Only CUDA variants have PTX and SASS, but this benchmark has none.
      </EmptyState>
    );
  }
  const shown = diff === null ? [] : onlyDifferences ? condenseRows(diff, CONTEXT_LINES) : diff;
  return (
    <>
      <div className="compare-bar compare-bar--source">
        <Segmented
          label="Language"
          value={language}
          options={codeLanguages.map((value) => ({ value, label: languages[value] }))}
          onChange={setLanguage}
        />
        <VariantPicker
          side="Left"
          variant={left}
          variants={ids}
          code={a.code}
          onVariant={(variant) => {
            setPicked((before) => ({ ...before, left: variant }));
            setKernels((before) => ({ ...before, left: null }));
          }}
          onKernel={(kernel) => setKernels((before) => ({ ...before, left: kernel }))}
        />
        <VariantPicker
          side="Right"
          variant={right}
          variants={ids}
          code={b.code}
          onVariant={(variant) => {
            setPicked((before) => ({ ...before, right: variant }));
            setKernels((before) => ({ ...before, right: null }));
          }}
          onKernel={(kernel) => setKernels((before) => ({ ...before, right: kernel }))}
        />
        <Select
          label="Compiled for"
          value={architecture}
          options={architectures.map((name) => ({ value: name, label: name }))}
          onChange={setWanted}
        />
        {right === NO_VARIANT ? null : (
          <>
            <span className="panel-readout" data-testid="code-differing">
              {differing === null ? '' : differing === 0 ? 'no line differs' : `${differing} lines differ`}
            </span>
            <Button
              tone="quiet"
              pressed={onlyDifferences}
              onPress={() => store.setState({ onlyDifferences: !onlyDifferences })}
            >
              Only differences
            </Button>
            <Button
              tone="quiet"
              pressed={exact}
              title="Compilers renumber registers and labels after any change"
              onPress={() => setExact(!exact)}
            >
              Compare register names
            </Button>
          </>
        )}
        <CounterImport hot={imported} onHot={setImported} />
      </div>
      <section className="machine-code stack grow clip" aria-label="Machine code" data-testid="compare-code">
        {troubles.map((text) => (
          <p key={text} className="compare-notes" role="status">
            {text}
          </p>
        ))}
        {a.code === null && a.failure === null ? <p className="compare-notes">Reading the machine code</p> : null}
        {sides.length === 0 ? null : <Resources sides={sides} gpu={architecture} />}
        {imported.length > 0 && sides.length > 0 && !isCounted ? (
          <p className="compare-notes">
            The file contains {imported.map(({ kernel }) => kernel).join(', ')}: none of it is visible here
            {language === 'ptx' ? ' as PTX; SASS has instructions' : ''}.
          </p>
        ) : null}
        {dropped === 0 ? null : <p className="compare-notes">{count(dropped)} lines beyond the limit are not shown.</p>}
        {a.code !== null && right === NO_VARIANT && a.code.lines.length > 0 ? (
          <WithSource code={a.code} hot={hot} />
        ) : null}
        {a.code === null || b.code === null || diff === null ? null : (
          <>
            <Opcodes left={a.code} right={b.code} />
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
            <section className="compare-scroll" aria-label="Difference" tabIndex={0}>
              <ListingPair left={a.code} right={b.code} rows={shown} hot={hot} />
            </section>
          </>
        )}
      </section>
    </>
  );
}
