/** Detection of the operating system that shows the page. */

export function isMac(): boolean {
  return /mac/i.test(navigator.platform);
}
