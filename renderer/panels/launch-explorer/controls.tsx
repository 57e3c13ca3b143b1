/** Parameters of the launch: kernel, GPU, problem and block. */
import { type ReactElement, useId } from 'react';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Segmented } from '../../widgets/controls/segmented.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import {
  type ExplainedLaunch,
  type Gpu,
  type Kernels,
  type LaunchState,
  type LaunchStore,
  maxElements,
  USER_NUMBERS,
} from './model.ts';

interface NumberRowProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Called with undefined to restore the default. */
  readonly onChange: (value: number | undefined) => void;
}

function WholeNumberRow({ label, value, min, max, onChange }: NumberRowProps): ReactElement {
  return (
    <NumberField
      label={label}
      value={value}
      unit="1"
      placeholder={null}
      min={min}
      max={max}
      whole
      onChange={(next) => {
        if (next === undefined) onChange(undefined);
        else if (typeof next === 'number' && Number.isInteger(next) && next >= min && next <= max) onChange(next);
      }}
    />
  );
}

const axes = ['x', 'y', 'z'] as const;
type Extent3 = LaunchState['elements'];

function Extents(props: {
  readonly label: string;
  readonly value: Extent3;
  readonly max: number;
  readonly onChange: (value: Extent3) => void;
}): ReactElement {
  const { label, value, max, onChange } = props;
  return (
    <fieldset className="launch-extents grid" aria-label={label}>
      <span aria-hidden="true">{label}</span>
      {axes.map((axis, i) => (
        <WholeNumberRow
          key={axis}
          label={`${label} along ${axis}`}
          value={value[i] ?? 1}
          min={1}
          max={max}
          onChange={(next) => onChange(value.map((one, at) => (at === i ? (next ?? 1) : one)) as Extent3)}
        />
      ))}
    </fieldset>
  );
}

const mappings = [
  { value: 'one-per-thread', label: 'One element each', title: 'Thread i processes element i' },
  {
    value: 'grid-stride',
    label: 'Grid-stride',
    title: 'Each thread processes several elements; the stride is the number of threads in the grid',
  },
] as const;

interface ControlsProps {
  readonly config: LaunchState;
  readonly store: LaunchStore;
  readonly kernels: Kernels;
  readonly gpus: readonly Gpu[];
  readonly explained: ExplainedLaunch;
}

export function Controls({ config, store, kernels, gpus, explained }: ControlsProps): ReactElement {
  const slider = useId();
  const { choice, choices, launch, gpu } = explained;
  const block: Extent3 = [...explained.block];
  const set = (part: Partial<LaunchState>): void => store.setState(part);
  const several = kernels.sets.length > 1;
  return (
    <form
      className="launch-controls stack gap-l rigid scroll"
      aria-label="Launch"
      onSubmit={(event) => event.preventDefault()}
    >
      <div className="launch-row">
        <span aria-hidden="true">Kernel</span>
        <Select
          label="Kernel"
          value={choice?.id ?? USER_NUMBERS}
          options={[
            ...choices.map(({ id, workload, kernel }) => ({
              value: id,
              label: several ? `${workload}: ${kernel.name}` : kernel.name,
            })),
            { value: USER_NUMBERS, label: 'By registers and shared memory…' },
          ]}
          onChange={(id) => {
            set({ kernel: id, block: null });
          }}
        />
      </div>
      {choice === null ? (
        <>
          <div className="launch-row">
            <span aria-hidden="true">Registers</span>
            <WholeNumberRow
              label="Registers per thread"
              value={config.registers}
              min={1}
              max={255}
              onChange={(registers) => set({ registers: registers ?? 32 })}
            />
          </div>
          <div className="launch-row">
            <span aria-hidden="true">Static shared, B</span>
            <WholeNumberRow
              label="Static shared memory in bytes"
              value={config.shared_bytes}
              min={0}
              max={2 ** 20}
              onChange={(shared_bytes) => set({ shared_bytes: shared_bytes ?? 0 })}
            />
          </div>
        </>
      ) : null}
      <div className="launch-row">
        <span aria-hidden="true">GPU</span>
        <Select
          label="GPU"
          value={gpu.id}
          options={gpus.map(({ id, limits }) => ({
            value: id,
            label: `${limits.name} (${limits.architecture}${limits.origin === 'driver' ? ', here' : ''})`,
          }))}
          onChange={(id) => set({ gpu: id })}
        />
      </div>
      <Extents label="Elements" value={config.elements} max={maxElements} onChange={(elements) => set({ elements })} />
      <Extents label="Block" value={block} max={4096} onChange={(next) => set({ block: next })} />
      <div className="launch-slider grid">
        <label htmlFor={slider}>Threads along x</label>
        <input
          id={slider}
          type="range"
          min={gpu.limits.warpThreads}
          max={gpu.limits.threadsPerBlock}
          step={gpu.limits.warpThreads}
          value={block[0]}
          onChange={(event) => set({ block: [Number(event.target.value), block[1], block[2]] })}
        />
        <output htmlFor={slider}>{block[0]}</output>
      </div>
      <Segmented
        label="Elements per thread"
        value={config.mapping}
        options={mappings}
        onChange={(mapping) => set({ mapping })}
      />
      {config.mapping === 'grid-stride' ? (
        <div className="launch-row">
          <span aria-hidden="true">Blocks along x</span>
          <WholeNumberRow
            label="Blocks along x"
            value={launch.grid[0]}
            min={1}
            max={2 ** 31 - 1}
            onChange={(blocks) => set({ blocks: blocks ?? null })}
          />
        </div>
      ) : null}
      <div className="launch-row">
        <span aria-hidden="true">Dynamic shared memory, B</span>
        <WholeNumberRow
          label="Dynamic shared memory in bytes"
          value={config.dynamic_bytes}
          min={0}
          max={2 ** 20}
          onChange={(dynamic_bytes) => set({ dynamic_bytes: dynamic_bytes ?? 0 })}
        />
      </div>
      <p className="launch-source muted small">
        {choice === null ? 'A kernel given by its resources.' : sourceOf(kernels, choice.workload)}{' '}
        {gpu.limits.origin === 'driver'
          ? 'Limits reported by the driver of this GPU.'
          : 'Limits published by NVIDIA: CUDA C++ Programming Guide 13.0 and cuda_occupancy.h; this GPU is not in this machine.'}
      </p>
    </form>
  );
}

function sourceOf({ sets, reason }: Kernels, workload: string): string {
  const set = sets.find((one) => one.workload === workload);
  const compiler = set?.compiler === null || set === undefined ? '' : `, CUDA ${set.compiler}`;
  if (set?.session === null || set === undefined) return `Registers and shared memory from ptxas${compiler}.`;
  return `${reason ?? ''} Registers and shared memory as recorded in ${set.session}${compiler}.`;
}
