/** Hands the user a file that the page holds. */

/** Long enough for every browser to have started the download. */
const REVOKE_AFTER_MS = 60_000;

export function download(name: string, mime: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mime }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
