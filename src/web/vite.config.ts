import { defineConfig } from 'vite';

/** The page, built by src/platforms/web/build.ts for a strict policy: no inline script or style, nothing from elsewhere. */
export default defineConfig({
  build: {
    // Colours for both themes are one declaration, light-dark(), which browsers have had since May 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: { input: ['src/web/index.html', 'src/web/login.html'] },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
});
