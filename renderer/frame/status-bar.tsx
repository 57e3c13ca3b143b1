/** The bar at the bottom: the machine, the connection, and what the scenario would run on. */
import type { ReactElement } from 'react';
import { formatBytes } from '../../electron/contract/units.ts';
import { useSelected, useWorkbench } from '../workbench/context.ts';

function Devices(): ReactElement {
  const { stores } = useWorkbench();
  const { cpu, devices } = useSelected(stores.connection, (state) => state.capabilities);
  const { cuda } = devices;
  const first = cuda.devices[0];
  return (
    <>
      <span title={`${cpu.os}, ${formatBytes(cpu.memory_bytes)}`}>
        {cpu.name} · {cpu.logicalCores} {cpu.logicalCores === 1 ? 'core' : 'cores'}
        {cpu.isa === '' ? '' : ` · ${cpu.isa}`}
      </span>
      <span title={cuda.reason ?? ''}>
        {cuda.available && first !== undefined
          ? `CUDA: ${first.name}${cuda.devices.length > 1 ? ` and ${cuda.devices.length - 1} more` : ''}`
          : 'CUDA: none'}
      </span>
    </>
  );
}

/** The progress of a solver and of GPU kernels that are being compiled; nothing once they are there. */
function SolverProgress(): ReactElement | null {
  const { stage, progress, failed, gpuKernels } = useSelected(
    useWorkbench().stores.connection,
    (state) => state.solver,
  );
  if (failed !== null) {
    return (
      <span className="status-bar__failed" role="alert">
        The solver could not be compiled: {failed}
      </span>
    );
  }
  if (stage === 'whole') {
    return gpuKernels ? (
      <span role="status">Compiling the GPU's kernels, this first time; auto runs on the CPU meanwhile</span>
    ) : null;
  }
  const what =
    stage === 'none'
      ? 'Compiling the solver; recorded sessions can be read meanwhile'
      : 'Transport runs on the CPU; compiling the GPU variants and other workloads';
  return (
    <span role="status">
      {what}
      {progress === null ? '' : `: ${progress}`}
    </span>
  );
}

export function StatusBar(): ReactElement {
  const { stores } = useWorkbench();
  const version = useSelected(stores.connection, (state) => state.capabilities.version);
  const connection = useSelected(stores.connection, (state) => state.state);
  const resolved = useSelected(stores.scenario, (state) => state.lastResolved);
  return (
    <footer className="status-bar">
      <Devices />
      <SolverProgress />
      {resolved === null ? null : <span>Runs with {resolved.variant}</span>}
      <span className="status-bar__end">
        {connection.kind === 'connected' ? `Braggbench ${version}` : 'Reconnecting…'}
      </span>
    </footer>
  );
}
