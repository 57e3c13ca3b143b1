/** About dialog: the program and the machine that it runs on. */
import type { ReactElement } from 'react';
import { formatBytes } from '../../../electron/domain/values/units.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

export default function AboutDialog({ close }: { readonly close: () => void }): ReactElement {
  const { stores } = useWorkbench();
  const { version, build, compiler, cpu, devices, shell } = useSelected(
    stores.connection,
    (state) => state.capabilities,
  );
  const { cuda } = devices;
  const facts: readonly (readonly [string, string])[] = [
    ['Version', `${version} (${build})`],
    ['Engine', `${compiler}, ${cpu.isa}`],
    ['Machine', `${cpu.name}, ${cpu.logicalCores} logical cores, ${formatBytes(cpu.memory_bytes)}, ${cpu.os}`],
    [
      'CUDA',
      cuda.available
        ? `driver ${cuda.driver}: ${cuda.devices.map((device) => device.name).join(', ')}`
        : (cuda.reason ?? 'none'),
    ],
    ['Library', shell.libraryFolder],
    ['Licence', 'MIT, The Braggbench authors'],
  ];
  return (
    <Dialog
      title="Braggbench"
      onDismiss={close}
      onSubmit={close}
      actions={
        <Button tone="primary" onPress={close}>
          Close
        </Button>
      }
    >
      <p>A workbench for deterministic proton transport. For research only; not for treatment planning.</p>
      <div className="about">
        <dl>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="selectable">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
