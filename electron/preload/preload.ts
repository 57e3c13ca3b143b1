/**
 * Passes to the page one MessagePort to the host in the main process, and nothing else: no Electron object is
 * accessible from the page.
 */
import { ipcRenderer } from 'electron';
import { PAGE_READY, PORT_CHANNEL, PORT_DELIVERY, PORT_REQUEST, READY_CHANNEL } from '../contract/wire/page.ts';

window.addEventListener('message', (event) => {
  // Only accept messages from the page itself, never from a frame or another window.
  if (event.source !== window || event.origin !== location.origin) return;
  if (event.data === PORT_REQUEST) {
    const { port1, port2 } = new MessageChannel();
    ipcRenderer.postMessage(PORT_CHANNEL, null, [port1]);
    window.postMessage(PORT_DELIVERY, location.origin, [port2]);
  } else if (event.data === PAGE_READY) {
    ipcRenderer.send(READY_CHANNEL);
  }
});
