/** Calls about the program itself: its log. */
import path from 'node:path';
import type { HostLog } from '../log.ts';
import type { Handlers } from '../service/service.ts';
import type { ShellHandlers } from './shell.ts';

export function desktopHandlers(
  { log }: { readonly log: HostLog },
  shell: ShellHandlers | null,
): Pick<Handlers, 'log.show'> {
  return {
    'log.show': async () => {
      const text = await log.tail();
      const shown = shell?.showFolder !== undefined && log.file !== null;
      if (shown && log.file !== null) await shell?.showFolder?.(path.dirname(log.file));
      return { shown, file: log.file, text };
    },
  };
}
