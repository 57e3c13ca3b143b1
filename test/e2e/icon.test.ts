import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { useChromium } from './browser.ts';

const icons = path.resolve(import.meta.dirname, '../../assets/icons');
const SIZE = 1024;

/** Mean difference of pixels between two renderings of the same drawing, which may round edges differently. */
const MEAN_DIFFERENCE = 0.5;

const chrome = useChromium();

it('the packaged program icon equals icon.svg (BRAGGBENCH_UPDATE=1 renders it again)', async () => {
  const open = await chrome.open('about:blank', { width: SIZE, height: SIZE });
  const svg = `data:image/svg+xml;base64,${readFileSync(path.join(icons, 'icon.svg')).toString('base64')}`;
  await open.page.setContent(`<body style="margin:0"><img src="${svg}" width="${SIZE}" height="${SIZE}" alt="">`);
  await open.page.waitForFunction(() => document.images[0]?.complete);
  const png = path.join(icons, 'icon.png');
  if (process.env['BRAGGBENCH_UPDATE']) writeFileSync(png, await open.page.screenshot({ omitBackground: true }));
  expect(existsSync(png)).toBe(true);

  const stored = `data:image/png;base64,${readFileSync(png).toString('base64')}`;
  const result = await open.page.evaluate(
    async ({ sources, size }) => {
      const pixels = await Promise.all(
        sources.map(async (source) => {
          const image = new Image();
          image.src = source;
          await image.decode();
          const context = new OffscreenCanvas(size, size).getContext('2d');
          if (!context) throw new Error('no 2D canvas');
          context.drawImage(image, 0, 0, size, size);
          return { width: image.naturalWidth, data: context.getImageData(0, 0, size, size).data };
        }),
      );
      const [drawn, kept] = pixels;
      if (!drawn || !kept) throw new Error('one of the two images is missing');
      let difference = 0;
      for (let i = 0; i < drawn.data.length; i += 1) difference += Math.abs((drawn.data[i] ?? 0) - (kept.data[i] ?? 0));
      return { width: kept.width, mean: difference / drawn.data.length };
    },
    { sources: [svg, stored], size: SIZE },
  );
  expect(result.width).toBe(SIZE);
  expect(result.mean).toBeLessThan(MEAN_DIFFERENCE);
});
