/** Command-line side of a workload, in addition to its host side. One folder each; index.ts lists them. */
import type { NamedFile } from '../../contract/files.ts';
import type { Host } from '../../host/index.ts';
import type { NativeAddon } from '../../host/io/addon/addon.ts';
import type { AnyRunData } from '../../host/workloads/run-data.ts';
import type { FlagSpec, ParsedArguments } from '../arguments.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Fit, KnownReading } from '../read-scenario.ts';
import type { Column } from '../table.ts';
import type { VerbContext } from '../verb.ts';

/** Engine's description of a variant, common to all workloads. */
interface ListedVariant {
  readonly id: string;
  readonly workload: string;
  readonly device: string;
  readonly buildsOn: string | null;
  readonly changes: string;
  readonly available: boolean;
  readonly reason: string | null;
}

export interface VariantList {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** For scripts, with all that the engine says. */
  readonly all: readonly ListedVariant[];
}

interface VariantColumn<V> extends Column {
  readonly text: (variant: V) => string;
}

/** Variants as a table: what every workload says of its own, with `more` in the middle and `first` before it. */
export function variantList<V extends ListedVariant>(
  all: readonly V[],
  more: readonly VariantColumn<V>[],
  first: readonly VariantColumn<V>[] = [],
): VariantList {
  const columns: readonly VariantColumn<V>[] = [
    ...first,
    { title: 'Variant', text: ({ id }) => id },
    { title: 'Device', text: ({ device }) => device },
    ...more,
    { title: 'Builds on', text: ({ buildsOn }) => buildsOn ?? '–' },
    { title: 'What it changes', text: ({ changes }) => changes },
  ];
  return { columns, rows: all.map((variant) => columns.map(({ text }) => text(variant))), all };
}

export interface ReadRun {
  readonly file: string;
  readonly run: AnyRunData;
}

export interface Workload {
  /** Changes of its scenarios by --variant. */
  readonly fit: Fit;
  /** Flags of `run` that it has beyond those of all, and what is wrong with their values. */
  readonly flags?: readonly FlagSpec[];
  readonly checkFlags?: (parsed: ParsedArguments) => void;
  /** `braggbench run`: solves what was read, saves it at `place`, prints what came out. */
  readonly run: (context: VerbContext, host: Host, reading: KnownReading, place: NamedFile | null) => Promise<ExitCode>;
  /** Variants that are measured where none is named, if they can run. */
  readonly usual: (
    addon: NativeAddon,
    reading: KnownReading,
  ) => readonly Pick<ListedVariant, 'id' | 'workload' | 'available'>[];
  readonly variants: (addon: NativeAddon) => VariantList;
  /** `braggbench compare` of run files alone, where its runs have more to say than rows of every workload do; null: they do not. */
  readonly compare: ((context: VerbContext, runs: readonly ReadRun[]) => void) | null;
}
