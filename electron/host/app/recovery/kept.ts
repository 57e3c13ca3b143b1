/** Recoverable contents of a folder of recovery data: drafts, runs and benchmark sessions, by the names of their notes. */
export const DRAFT_NAME = /^draft-([\w-]+)\.json$/;
export const RUN_NAME = /^run-([\w-]+)\.json$/;

export const SESSION_NAME = /^session-([\w-]+)\.json$/;

export const isKept = (name: string): boolean => [DRAFT_NAME, RUN_NAME, SESSION_NAME].some((one) => one.test(name));
