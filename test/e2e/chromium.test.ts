import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useChromium } from './browser.ts';

const PAGE = `<!doctype html><html lang="en"><title>check</title><canvas id="c" width="8" height="8"></canvas>
<script>console.error('on purpose'); setTimeout(() => { throw new Error('thrown on purpose'); });</script></html>`;

describe('the browser that the end-to-end tests run in', () => {
  const chrome = useChromium();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? PAGE : '');
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  it('draws with WebGL 2, reports page errors, and takes screenshots', async () => {
    const open = await chrome.open(url, { theme: 'dark', scale: 2, width: 400, height: 300 });
    const state = await open.page.evaluate(() => {
      const gl = document.querySelector('canvas')?.getContext('webgl2');
      if (!gl) return null;
      gl.clearColor(0.2, 0.4, 0.6, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      const pixel = new Uint8Array(4);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      return { pixel: [...pixel], dark: matchMedia('(prefers-color-scheme: dark)').matches, ratio: devicePixelRatio };
    });
    expect(state).toEqual({ pixel: [51, 102, 153, 255], dark: true, ratio: 2 });
    await expect.poll(() => open.problems.length).toBeGreaterThanOrEqual(2);
    expect(open.problems).toContain('console: on purpose');
    expect(open.problems).toContain('uncaught: thrown on purpose');
    expect((await open.page.screenshot()).length).toBeGreaterThan(500);
  });
});
