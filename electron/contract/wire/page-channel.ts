/** Messages by which the preload passes a port to the page. */

/** The page asks for a port with this message to its own window. */
export const WANT_PORT = 'braggbench:want-port';
/** The preload answers with this message and the port. */
export const HERE_IS_PORT = 'braggbench:port';
/** Channel on which the preload sends the other end to the main process. */
export const PORT_CHANNEL = 'braggbench:port';
/** Channel on which the preload says that the workbench has drawn itself. */
export const READY_CHANNEL = 'braggbench:ready';
/** The page says so with this message to its own window. */
export const PAGE_READY = 'braggbench:ready';
