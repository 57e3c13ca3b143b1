/** The host: runs, scenarios, files, and the sessions of pages. Plain Node; never imports `electron`. */
export { loadAddon, type NativeAddon, type TransportProblem } from './addon.ts';
export { dataFolder } from './files/data-folder.ts';
export type { ShellHandlers } from './handlers/shell.ts';
export { type Door, Host, type HostOptions, openHost } from './host.ts';
