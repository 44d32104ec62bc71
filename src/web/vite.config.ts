import { defineConfig } from 'vite';

/**
 * Builds the page; used by src/platforms/web/build.ts. The output suits a strict policy: no inline script or style, no
 * other origins.
 */
export default defineConfig({
  build: {
    // The colours of both themes use light-dark(), which browsers have supported since May 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { input: ['src/web/index.html', 'src/web/login.html'] },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
