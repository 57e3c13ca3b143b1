/**
 * Preload script. It gives the page a MessagePort that is connected to the host in the main process. The page cannot
 * access any Electron object.
 */
import { ipcRenderer } from 'electron';
import { PAGE_READY, PORT_CHANNEL, PORT_DELIVERY, PORT_REQUEST, READY_CHANNEL } from '../contract/wire/page.ts';

window.addEventListener('message', (event) => {
  // Accept messages from the page itself only, not from frames or other windows.
  if (event.source !== window || event.origin !== location.origin) return;
  if (event.data === PORT_REQUEST) {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage(PORT_CHANNEL, null, [port1]);
    window.postMessage(PORT_DELIVERY, location.origin, [port2]);
  } else if (event.data === PAGE_READY) {
    ipcRenderer.send(READY_CHANNEL);
  }
});
