/**
 * Selection in the kernel editor, saved per user; unsaved text is lost. Variants are grouped: those of a workload, or
 * of one of its benchmarks, can be exchanged. The sources of a shipped variant are its replaceable files and the shown
 * file. No React except for the hooks.
 */
import { useEffect, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import type { Variant, VariantKey } from '../../../electron/contract/capabilities.ts';
import { defaultKind, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { workloadSchema } from '../../../electron/contract/workload.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { useWorkbench } from '../../workbench/context.ts';

const schema = z.strictObject({
  workload: z.string().max(64),
  /** Benchmark of a workload that has several; otherwise empty. */
  bench: z.string().max(64),
  /** Id of a shipped or user variant; if it no longer exists, the first one is shown. */
  variant: z.string().max(64),
  /** Path of a file of a shipped variant; empty for its first replaceable file. */
  file: z.string().max(200),
});
export type EditorState = Readonly<z.infer<typeof schema>>;
export type EditorStore = StoreApi<EditorState>;

const initial: EditorState = { workload: defaultKind, bench: '', variant: 'gather', file: '' };

export function createEditorStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): EditorStore {
  return createPersisted<EditorState>({
    storage,
    name: 'kernel-editor',
    version: 2,
    schema,
    initial,
    // Version 1 had variants of one workload only.
    migrations: { 1: (data) => ({ workload: defaultKind, bench: '', ...(data as object) }) },
    onReset,
  });
}

export interface Group {
  /** Unique among groups. */
  readonly key: string;
  readonly workload: string;
  readonly bench: string;
  readonly label: string;
  /** User variants first. */
  readonly variants: readonly Variant[];
}

export const groupKey = (workload: string, bench: string): string => `${workload}/${bench}`;

function groupLabel(workload: string, bench: string): string {
  const known = workloadSchema.safeParse(workload);
  const title = known.success ? scenarioKinds[known.data].title : workload;
  return bench === '' ? title : `${title}: ${bench}`;
}

export function groupsOf(all: readonly Variant[], isUserKernel: (id: string) => boolean): readonly Group[] {
  const each = Map.groupBy(all, ({ workload, bench }) => groupKey(workload, bench));
  return [...each].flatMap(([key, variants]) => {
    const [first] = variants;
    if (first === undefined) return [];
    const { workload, bench } = first;
    const ordered = [
      ...variants.filter(({ id }) => isUserKernel(id)),
      ...variants.filter(({ id }) => !isUserKernel(id)),
    ];
    return [{ key, workload, bench, label: groupLabel(workload, bench), variants: ordered }];
  });
}

type Files = Result<'variant.sources'>['files'];

interface VariantSources {
  readonly files: Files;
  readonly templates: readonly string[];
  readonly reason: string | null;
}

export interface ShippedSources {
  readonly files: Files;
  /** The chosen file, else the first replaceable one, else the first. */
  readonly shown: Files[number] | null;
  readonly mayCopy: boolean;
  /** Reason why the file cannot be copied; empty if it can. */
  readonly notCopyable: string;
}

/** Null if the variant is a user kernel, or its files have not arrived. */
function useSources({ workload, bench, id }: VariantKey): VariantSources | null {
  const { client, stores } = useWorkbench();
  const [sources, setSources] = useState<VariantSources | null>(null);
  useEffect(() => {
    let current = true;
    setSources(null);
    if (id === '' || isUserKernelId(id)) return;
    Promise.all([
      client.call('variant.sources', { variant: id, workload, bench }),
      client.call('userKernels.templates', { base: { workload, bench, id } }),
    ]).then(
      ([{ files }, { files: templates, reason }]) => current && setSources({ files, templates, reason }),
      (error: unknown) => current && stores.notices.fail(`The source of ${id} could not be read`, error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, workload, bench, id]);
  return sources;
}

/** `chosen`: path of a file, which other variants may lack. */
export function useShippedSources(variant: VariantKey, chosen: string): ShippedSources {
  const sources = useSources(variant);
  if (sources === null) return { files: [], shown: null, mayCopy: false, notCopyable: '' };
  const { files, templates, reason } = sources;
  const at = (wanted: string | undefined) => files.find(({ path }) => path === wanted);
  const shown = at(chosen) ?? at(templates[0]) ?? files[0] ?? null;
  const mayCopy = shown !== null && templates.includes(shown.path);
  return {
    files,
    shown,
    mayCopy,
    notCopyable: reason ?? (mayCopy ? '' : 'Read-only: other variants use this file too.'),
  };
}
