/** Style sheets are imported only for their side effect: Vite adds them to the page. */
declare module '*.css';

/** Vite's glob import: contents of the matching files, read at build time. */
interface ImportMeta {
  glob(
    pattern: string,
    options: { readonly query: string; readonly import: string; readonly eager: true },
  ): Record<string, unknown>;
  /** Loaders of the matching modules; a module loads when its function is called. */
  glob(pattern: string): Record<string, () => Promise<unknown>>;
}
