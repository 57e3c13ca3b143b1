/** Calls about unsaved work, and about files that are open twice. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { FileAccess } from '../../io/files/access.ts';
import type { HostLog } from '../log.ts';
import type { Presence } from '../recovery/presence.ts';
import type { Recovery } from '../recovery/recovery.ts';
import type { Handlers } from '../service/service.ts';
import type { ShellHandlers } from './shell.ts';

/** Calls about the program itself: its log. */
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

interface RecoveryHandlersParts {
  readonly files: FileAccess;
  readonly recovery: Recovery;
  readonly presence: Presence;
}

type Names = Extract<keyof Handlers, `recovery.${string}`> | 'document.presence';

export function recoveryHandlers({ files, recovery, presence }: RecoveryHandlersParts): Pick<Handlers, Names> {
  return {
    'recovery.keep': async ({ page, title, file, draft }) => {
      await recovery.keep(page, title, file, draft);
      return {};
    },
    'recovery.drop': async ({ page }) => {
      await recovery.drop(page);
      return {};
    },
    'recovery.list': async ({ pages }) => ({ items: [...(await recovery.list(pages))] }),
    'recovery.draft': ({ id }) => recovery.draft(id),
    'recovery.run': ({ id }) => recovery.run(id),
    'recovery.session': ({ id }) => recovery.session(id),
    'recovery.discard': async ({ id }) => {
      await recovery.discard(id);
      return {};
    },
    'document.presence': async ({ page, file }) => {
      const found = file === null ? null : await files.readable(file).catch(() => null);
      // The program's own examples are never written: any number of windows may have them open.
      const shared = found === null || found.readOnly ? null : await realpath(found.path).catch(() => found.path);
      return { others: await presence.tell(page, shared) };
    },
  };
}
