/** Calls about the program itself: its log, and newer versions. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { HostSettings } from '../../io/files/settings.ts';
import type { HostLog } from '../log.ts';
import type { Handlers } from '../service/service.ts';
import type { ShellHandlers } from './shell.ts';

type Names = 'log.show' | 'updates.atStart' | 'updates.check' | 'updates.install';

export function desktopHandlers(
  { log, settings }: { readonly log: HostLog; readonly settings: HostSettings },
  shell: ShellHandlers | null,
): Pick<Handlers, Names> {
  const updates = (): NonNullable<ShellHandlers['updates']> => {
    if (shell?.updates === undefined) throw new BraggError('unsupported', 'Only the desktop program updates itself.');
    return shell.updates;
  };
  return {
    'log.show': async () => {
      const text = await log.tail();
      const shown = shell?.showFolder !== undefined && log.file !== null;
      if (shown && log.file !== null) await shell?.showFolder?.(path.dirname(log.file));
      return { shown, file: log.file, text };
    },
    'updates.atStart': async ({ atStart }) => {
      if (atStart !== null) await settings.change({ updates: atStart });
      return { atStart: settings.values.updates };
    },
    'updates.check': () => updates().check(),
    'updates.install': async () => {
      await updates().install();
      return {};
    },
  };
}
