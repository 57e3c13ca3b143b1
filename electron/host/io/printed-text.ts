/** What another process prints, as text. */
/** A letter may come in two pieces: each is told when it is whole. */
export function onPrinted(
  { stdout, stderr }: { readonly [name in 'stdout' | 'stderr']: NodeJS.ReadableStream | null },
  listener: (text: string) => void,
): void {
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', listener);
}
