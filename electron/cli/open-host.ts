/** The host as the command line uses it: no page, no dialogs. */
import { type Host, openHost } from '../host/index.ts';
import { assetsFolder } from './assets-folder.ts';

/** Opens a host, hands it over, and closes it whatever happens. */
export async function withHost<T>(use: (host: Host) => Promise<T>): Promise<T> {
  const host = await openHost({
    assetsFolder: assetsFolder(),
    shell: { kind: 'none', dialogs: false, window: false, menus: false },
  });
  try {
    return await use(host);
  } finally {
    await host.close();
  }
}
