/** Commands with shortcuts, and keys in plots and fields. */
import type { ReactElement } from 'react';
import { isMac } from '../../base/platform.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { activeShortcut, menuNames, shortcutText } from '../../workbench/commands/command.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { useCommands } from '../use-commands.ts';

const gestures: readonly (readonly [string, string])[] = [
  ['Arrow keys on the map', 'Move the crosshair; with Shift, ten steps at once'],
  ['Click on the map', 'Pin the crosshair'],
  ['Wheel on the map', 'Zoom; with Shift only in depth, with Alt only laterally'],
  ['Drag on the zoomed map', 'Move the visible part'],
  ['Drag across the curve', 'Zoom in depth'],
  ['Double click on a plot', 'Show the whole field'],
  ['↑ ↓ in a number field', 'Change the second digit by 1 (Shift: first, Alt: third)'],
  ['5 cm, 70,5 or 1e3 in a number field', 'Units, decimal commas and exponents are understood'],
];

export default function ShortcutsDialog({ close }: { readonly close: () => void }): ReactElement {
  const { stores } = useWorkbench();
  const desktop = useSelected(stores.connection, (state) => state.capabilities.shell.kind === 'desktop');
  const commands = useCommands();
  const mac = isMac();
  return (
    <Dialog
      title="Keyboard shortcuts"
      size="large"
      onDismiss={close}
      onSubmit={close}
      actions={
        <Button tone="primary" onPress={close}>
          Close
        </Button>
      }
    >
      <div className="shortcuts">
        {menuNames.map((menu) => {
          const entries = commands.filter(
            (command) => command.menu === menu && activeShortcut(command, desktop) !== null,
          );
          if (entries.length === 0) return null;
          return (
            <section key={menu}>
              <h3>{menu}</h3>
              <dl>
                {entries.map((command) => (
                  <div key={command.id}>
                    <dt>{command.title}</dt>
                    <dd>
                      <kbd className="nowrap rounded">{shortcutText(activeShortcut(command, desktop) ?? '', mac)}</kbd>
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
        <section>
          <h3>In plots and fields</h3>
          <dl>
            {gestures.map(([what, does]) => (
              <div key={what}>
                <dt>{does}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}
