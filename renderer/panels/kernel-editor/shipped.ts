/** A shipped variant's files, those of them that may be replaced, and the one that is shown. */
import { useEffect, useState } from 'react';
import type { VariantKey } from '../../../electron/contract/capabilities.ts';
import { isUserKernelId } from '../../../electron/contract/user-kernels.ts';
import type { Result } from '../../../electron/contract/wire/methods.ts';
import { useWorkbench } from '../../workbench/context.ts';

type Files = Result<'variant.sources'>['files'];

interface Sources {
  readonly files: Files;
  readonly templates: readonly string[];
  readonly reason: string | null;
}

export interface Shipped {
  readonly files: Files;
  /** The chosen file, else the first that may be replaced, else the first. */
  readonly shown: Files[number] | null;
  readonly mayCopy: boolean;
  /** Why it cannot be copied; empty where it can. */
  readonly says: string;
}

/** Null if it is a user kernel, or its files have not arrived. */
function useSources({ workload, bench, id }: VariantKey): Sources | null {
  const { client, stores } = useWorkbench();
  const [sources, setSources] = useState<Sources | null>(null);
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

/** `chosen`: path of a file, which another variant may not have. */
export function useShipped(variant: VariantKey, chosen: string): Shipped {
  const sources = useSources(variant);
  if (sources === null) return { files: [], shown: null, mayCopy: false, says: '' };
  const { files, templates, reason } = sources;
  const at = (wanted: string | undefined) => files.find(({ path }) => path === wanted);
  const shown = at(chosen) ?? at(templates[0]) ?? files[0] ?? null;
  const mayCopy = shown !== null && templates.includes(shown.path);
  return { files, shown, mayCopy, says: reason ?? (mayCopy ? '' : 'To be read: this file is used by others too.') };
}
