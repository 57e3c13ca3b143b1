/** Bar at the bottom: machine, connection, and the device that the scenario would run on. */
import type { ReactElement } from 'react';
import type { RemoteState } from '../../electron/contract/remote.ts';
import { formatBytes } from '../../electron/domain/values/units.ts';
import { useSelected, useWorkbench } from '../workbench/context.ts';

const words: Readonly<Record<RemoteState['kind'], string>> = {
  connecting: 'connecting',
  asks: 'ssh asks',
  copying: 'copying the program',
  starting: 'starting',
  'login-node': 'login node',
  open: 'connected',
  lost: 'connection lost, reconnecting',
  failed: 'not connected',
};

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

/** The remote machine that this page works on with its latency, or else the connected machines. */
function Remotes(): ReactElement | null {
  const { stores } = useWorkbench();
  const host = useSelected(stores.connection, (state) => state.capabilities.shell.remote);
  const delay_ms = useSelected(stores.connection, (state) => state.delay_ms);
  const remotes = useSelected(stores.connection, (state) => state.remotes);
  if (host !== null) {
    return (
      <b title="Round-trip time of a call">
        On {host}
        {delay_ms === null ? '' : ` · ${delay_ms < 10 ? delay_ms.toFixed(1) : Math.round(delay_ms)} ms`}
      </b>
    );
  }
  if (remotes.length === 0) return null;
  return (
    <>
      {remotes.map(({ id, host: name, state }) => (
        <button
          key={id}
          type="button"
          className="status-bar__remote"
          onClick={() => void stores.dialogs.ask('connect', { remote: id })}
        >
          {name}: {words[state.kind]}
        </button>
      ))}
    </>
  );
}

/** Progress of compiling the solver and the GPU kernels; hidden when both are ready. */
function SolverProgress(): ReactElement | null {
  const { stage, progress, failed, gpuKernels } = useSelected(
    useWorkbench().stores.connection,
    (state) => state.solver,
  );
  if (failed !== null) {
    return (
      <span className="status-bar__failed clip danger" role="alert">
        The solver could not be compiled: {failed}
      </span>
    );
  }
  if (stage === 'whole') {
    return gpuKernels ? (
      <span role="status">Compiling the GPU kernels for the first time; auto runs on the CPU meanwhile</span>
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
    <footer className="status-bar flex center rigid clip muted small nowrap">
      <Remotes />
      <Devices />
      <SolverProgress />
      {resolved === null ? null : <span>Variant: {resolved.variant}</span>}
      <span className="status-bar__end">
        {connection.kind === 'connected' ? `Braggbench ${version}` : 'Reconnecting…'}
      </span>
    </footer>
  );
}
