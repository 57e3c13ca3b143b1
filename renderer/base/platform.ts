/** Platform that the page is shown on. */

export function isMac(): boolean {
  return /mac/i.test(navigator.platform);
}
