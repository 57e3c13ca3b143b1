/** Entry point in a browser. The port is a WebSocket to the server that delivered the page. */
import { openSocketPort } from '../../electron/transports/websocket-page.ts';
import { start } from './start.tsx';

void start({
  openPort: () => openSocketPort(new URL('socket', location.href).href.replace(/^http/, 'ws')),
  reconnect: true,
});
