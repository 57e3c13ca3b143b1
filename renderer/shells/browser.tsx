/** The page in a browser: its port is a WebSocket to the server that it came from. */
import { openSocketPort } from '../../electron/transports/websocket-page.ts';
import { start } from './start.tsx';

void start({
  openPort: () => openSocketPort(new URL('socket', location.href).href.replace(/^http/, 'ws')),
  reconnect: true,
});
