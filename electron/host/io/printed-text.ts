/** Output of another process, as text. */
/** Decodes UTF-8 as a stream: a character split between two chunks is reported once it is complete. */
export function onPrinted(
  { stdout, stderr }: { readonly [name in 'stdout' | 'stderr']: NodeJS.ReadableStream | null },
  listener: (text: string) => void,
): void {
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', listener);
}
