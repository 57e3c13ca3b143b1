import { readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { collectNotices, NOTICES } from './electron/build/steps/notices.mjs';

/** Plotly writes some styles as attributes, which the page's policy forbids: the same words through the DOM are allowed. */
const stylesOfPlotly: Plugin = {
  name: 'styles-of-plotly',
  transform: {
    filter: { id: /plotly\.js-cartesian-dist-min/, code: '.attr("style",' },
    handler: (code) => code.replaceAll('.attr("style",', '.property("style",'),
  },
};

/** Licences of all packages in the page. */
const notices: Plugin = {
  name: 'third-party-notices',
  generateBundle() {
    const modules = [...this.getModuleIds()];
    // Packages that a style sheet imports, such as fonts, are no modules.
    const imported = modules
      .filter((file) => file.endsWith('.css'))
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/@import\s+"([^."][^"]*)"/g)])
      .map(([, name = '']) => path.resolve('node_modules', name));
    this.emitFile({ type: 'asset', fileName: NOTICES, source: collectNotices([...modules, ...imported]) });
  },
};

/**
 * The page. Relative URLs, because the same files are served by the loopback
 * server and by Electron's own protocol. The two entry pages differ in the
 * shell they load and nothing else.
 */
export default defineConfig({
  root: 'renderer',
  base: './',
  publicDir: false,
  plugins: [react(), stylesOfPlotly, notices],
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome140',
    // Plotly alone is above the default warning limit; everything loads from disk or loopback.
    chunkSizeWarningLimit: 4000,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { browser: 'renderer/browser.html', desktop: 'renderer/desktop.html' },
    },
  },
});
