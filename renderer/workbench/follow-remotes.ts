/** Follows the machines that the host is connected to, and measures the delay to a host that is another machine. */
import type { Client } from '../client/index.ts';
import type { ConnectionStore } from '../state/connection.ts';

const MEASURED_EVERY_MS = 5000;

export function followRemotes(client: Client, connection: ConnectionStore): void {
  client.stream(
    'remotes',
    {},
    {
      frame: ({ remotes }) => {
        connection.setState({ remotes });
      },
    },
  );
  if (client.capabilities.shell.remote === null) return;
  const measure = async (): Promise<void> => {
    const begun_ms = performance.now();
    // A call that waits for a lost line has no delay to report.
    const isWhole = (): boolean => connection.getState().state.kind === 'connected';
    const before = isWhole();
    await client.call('host.ping', {});
    if (before && isWhole()) connection.setState({ delay_ms: performance.now() - begun_ms });
  };
  const again = (): void => {
    // A connection that is gone for good reports so itself.
    measure().catch(() => undefined);
    setTimeout(again, MEASURED_EVERY_MS);
  };
  again();
}
