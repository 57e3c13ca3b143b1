/** `braggbench serve` as a user runs it, with a page that starts a long run. */
import { WebSocket } from 'ws';
import { runProgram } from '../../../../../electron/cli/program.ts';
import { Terminal } from '../../../../../electron/cli/terminal.ts';
import { openSocketPort } from '../../../../../electron/transports/websocket-page.ts';
import { connect } from '../../../../../renderer/data/client/client.ts';
import { slowScenario } from './slow.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt.abort());

async function startRun(address: string): Promise<void> {
  const { port, searchParams } = new URL(address);
  // Sets the page's origin, which a browser's WebSocket sends automatically.
  class PageSocket extends WebSocket {
    constructor(socket: string) {
      super(socket, { origin: `http://127.0.0.1:${port}` });
    }
  }
  Reflect.set(globalThis, 'WebSocket', PageSocket);
  const socket = `ws://127.0.0.1:${port}/${searchParams.get('token')}/socket`;
  const client = await connect(() => openSocketPort(socket), { reconnect: false });
  await client.call('run.start', { scenario: { ...slowScenario }, name: '' });
  process.stdout.write('started\n');
}

const stdout = { write: (text: string) => void startRun(text.trim()) };
await runProgram(['serve', '--port', '0'], new Terminal(stdout, process.stderr, process.env), interrupt.signal);
process.exit();
