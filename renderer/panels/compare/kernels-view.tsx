/** Multiprocessor resources used by the kernels of the compared variants. */
import { type ReactElement, useEffect, useState } from 'react';
import type { KernelResource, KernelResources } from '../../../electron/contract/launches.ts';
import { computeOccupancy, type LaunchLimits, publishedLimitsOf } from '../../../electron/domain/launch/occupancy.ts';
import { count, NO_VALUE, percent } from '../../../electron/domain/numbers.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { type CompareStore, type ScenarioBench, type ShownRow, useRowsBench, useVariants } from './store.ts';

/**
 * Text of the occupancy of a kernel at the selected block size. `limits`: null if the limits of the architecture are
 * unknown.
 */
export function occupancyText(
  kernel: KernelResource,
  limits: LaunchLimits | null,
  threads: number,
): { readonly share: string; readonly limitedBy: string } {
  const { max_threads } = kernel;
  if (max_threads != null && threads > max_threads) {
    return { share: NO_VALUE, limitedBy: `launched with at most ${max_threads} threads` };
  }
  if (limits === null) return { share: NO_VALUE, limitedBy: NO_VALUE };
  const { share, limitedBy } = computeOccupancy(kernel, limits, threads);
  return { share: percent(share), limitedBy: limitedBy.join(', ') };
}

interface LoadedResources {
  readonly variant: string;
  readonly resources: KernelResources | null;
  readonly reason: string | null;
  readonly origin: string | null;
}

const blockSizes = [64, 128, 256, 512, 1024];

/** Resources from the session that measured the variant, if the session stored them, otherwise from this build. */
function useResources(rows: readonly ShownRow[], { workload, bench }: ScenarioBench): readonly LoadedResources[] {
  const { client } = useWorkbench();
  const [found, setFound] = useState<readonly LoadedResources[]>([]);
  const requested = JSON.stringify(
    [...new Map(rows.map(({ row }) => [row.variant, row.subject])).entries()].map(([variant, subject]) => ({
      variant,
      session: subject.kind === 'entry' ? { bench: subject.bench, report: subject.report } : null,
    })),
  );
  useEffect(() => {
    let current = true;
    const wanted = JSON.parse(requested) as { variant: string; session: { bench: string; report: number } | null }[];
    Promise.all(
      wanted.map(({ variant, session }) =>
        client.call('variant.resources', { variant, session, workload, bench }).then(
          (answer) => ({ variant, ...answer }),
          (error: unknown) => ({ variant, resources: null, reason: errorText(error), origin: null }),
        ),
      ),
    ).then((all) => current && setFound(all));
    return () => {
      current = false;
    };
  }, [client, requested, workload, bench]);
  return found;
}

export function KernelsView({
  store,
  rows,
}: {
  readonly store: CompareStore;
  readonly rows: readonly ShownRow[];
}): ReactElement {
  const of = useRowsBench(rows);
  const known = useVariants(of);
  const found = useResources(
    rows.filter(({ row }) => row.bench === of.bench && known.some(({ id }) => id === row.variant)),
    of,
  );
  const [threads, setThreads] = useState(256);
  const [picked, setPicked] = useState<string | null>(null);
  const architectures = [
    ...new Set(found.flatMap(({ resources }) => resources?.kernels.map(({ architecture }) => architecture) ?? [])),
  ];
  const architecture = picked !== null && architectures.includes(picked) ? picked : (architectures.at(0) ?? '');
  const limits = publishedLimitsOf(architecture);
  const compiler = found.find(({ resources }) => resources !== null)?.resources?.compiler ?? null;
  const without = [
    ...Map.groupBy(
      found.filter(({ resources }) => resources === null),
      ({ reason }) => reason ?? 'no reason known',
    ),
  ].map(([reason, list]) => [reason, list.map(({ variant }) => variant)] as const);
  if (found.length === 0) {
    const choose = (
      <Button icon="list" onPress={() => store.setState({ view: 'choose' })}>
        Choose variants
      </Button>
    );
    return <EmptyState icon="list" title="Nothing chosen yet" action={choose} />;
  }
  return (
    <>
      <div className="compare-bar">
        <span className="panel-readout">
          {compiler === null ? 'From ptxas' : `From ptxas, CUDA ${compiler}`}; maximum occupancy by registers and static
          shared memory, without dynamic shared memory.
        </span>
        <div className="panel-bar__tools">
          {architectures.length === 0 ? null : (
            <Select
              label="Architecture"
              value={architecture}
              options={architectures.map((name) => ({ value: name, label: name }))}
              onChange={setPicked}
            />
          )}
          <Select
            label="Threads per block"
            value={String(threads)}
            options={blockSizes.map((size) => ({ value: String(size), label: `${size} threads per block` }))}
            onChange={(size) => setThreads(Number(size))}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="compare-scroll" aria-label="Kernels" tabIndex={0} data-testid="compare-kernels">
        {without.map(([reason, variants]) => (
          <p key={reason} className="compare-notes">
            {variants.join(', ')}: {reason}
          </p>
        ))}
        {found.map(({ variant, resources, origin }) => {
          const kernels = resources?.kernels.filter((kernel) => kernel.architecture === architecture) ?? [];
          if (kernels.length === 0) return null;
          return (
            <section key={variant} className="compare-kernels" aria-label={variant}>
              <h2>
                {variant} <small className="compare-kernels__origin muted small">{origin}</small>
              </h2>
              <table className="table compare-table">
                <thead>
                  <tr>
                    <th scope="col">Kernel</th>
                    <th scope="col" data-align="right">
                      Registers
                    </th>
                    <th scope="col" data-align="right">
                      Shared memory
                    </th>
                    <th scope="col" data-align="right">
                      Spilled
                    </th>
                    <th scope="col" data-align="right">
                      Stack
                    </th>
                    <th scope="col" data-align="right">
                      Occupancy at most
                    </th>
                    <th scope="col">Limited by</th>
                  </tr>
                </thead>
                <tbody>
                  {kernels.map((kernel) => {
                    const spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
                    const { share, limitedBy } = occupancyText(kernel, limits, threads);
                    return (
                      <tr key={kernel.name}>
                        <th scope="row">
                          <code>{kernel.name}</code>
                        </th>
                        <td data-align="right">{kernel.registers}</td>
                        <td data-align="right">{count(kernel.shared_bytes)} B</td>
                        <td data-align="right" data-spills={spilled > 0}>
                          {count(spilled)} B
                        </td>
                        <td data-align="right">{count(kernel.stack_bytes)} B</td>
                        <td data-align="right">{share}</td>
                        <td>{limitedBy}</td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </section>
          );
        })}
      </section>
    </>
  );
}
