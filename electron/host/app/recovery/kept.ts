/** What a folder of recovery data holds that can be given back: drafts and runs, by the names of their notes. */
export const DRAFT_NAME = /^draft-([\w-]+)\.json$/;
export const RUN_NAME = /^run-([\w-]+)\.json$/;

export const isKept = (name: string): boolean => DRAFT_NAME.test(name) || RUN_NAME.test(name);
