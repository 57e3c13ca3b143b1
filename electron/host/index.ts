/** The host: runs, scenarios, files, and the connections of pages. Plain Node; never imports `electron`. */

export type { ShellHandlers } from './app/handlers/shell.ts';
export { type Door, Host, type HostOptions, type UnsavedRuns } from './app/host.ts';
export { openHost } from './app/open-host.ts';
export { SERVING_FILE, type Serving, servingSchema, TOKEN_FILE } from './app/remote/session.ts';
export { loadAddon, type NativeAddon, type TransportProblem } from './io/addon/addon.ts';
export { stagedSolver } from './io/addon/staged-solver.ts';
export { dataFolder, PRIVATE } from './io/files/data-folder.ts';
