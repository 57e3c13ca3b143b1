/** Style sheets are imported for their effect; Vite puts them in the page. */
declare module '*.css';

/** Vite's: the contents of the files that match, read when the page is built. */
interface ImportMeta {
  glob(
    pattern: string,
    options: { readonly query: string; readonly import: string; readonly eager: true },
  ): Record<string, unknown>;
}
