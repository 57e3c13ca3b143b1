/** The host: runs, scenarios, files, and connections of pages. It needs only Node and never imports `electron`. */

export type { ShellHandlers } from './app/handlers/projects.ts';
export { Host, openHost, type PageAcceptor, type UnsavedRuns } from './app/host.ts';
export type { HostOptions } from './app/parts.ts';
export { SERVING_FILE, type ServerAnnouncement, servingSchema, TOKEN_FILE } from './app/remote/connection.ts';
export { errorFromNative, loadAddon, type NativeAddon, type TransportProblem } from './io/addon/addon.ts';
export { createStagedSolver } from './io/addon/staged-solver.ts';
export type { TaskProblem } from './io/addon/task.ts';
export { dataFolder, makePrivateFolder, PRIVATE_FOLDER } from './io/files/folders.ts';
export { type Lock, tryLock } from './io/files/locks.ts';
export { openRegularFile, readRegularFile, readUserFile, toFileError } from './io/files/plain-file.ts';
export { identifyThisMachine } from './io/files/this-machine.ts';
export { childProgramPath, createDescendantMark, forkChild, type StartChild } from './io/processes/link.ts';
export { listenToOutput } from './io/programs.ts';
export { readCompressedText, readTableText, readText } from './io/text/read.ts';
export { parseYaml, plainValue } from './io/text/source.ts';
