/** The host as the command line uses it: no page, no dialogs. */
import { type Host, openHost } from '../host/index.ts';
import { assetsFolder } from './assets-folder.ts';

/** Opens a host, on that GPU where one is named, hands it over, and closes it whatever happens. */
export async function withHost<T>(use: (host: Host) => Promise<T>, gpu?: string): Promise<T> {
  const host = await openHost({
    assetsFolder: assetsFolder(),
    shell: { kind: 'none', dialogs: false, window: false, menus: false },
    ...(gpu === undefined ? {} : { gpu }),
  });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
