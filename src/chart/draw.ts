import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { init, setPlatformAPI } from 'echarts/dist/echarts.esm.min';
import type { Chart } from '../alert/alert.ts';
import { catalogueOf, languages } from '../language/languages.ts';
import { picture, textWidth } from './layout.ts';
import { type DrawOptions, drawing } from './option.ts';
import { encodePng } from './png.ts';

// There is no canvas to ask, and ECharts' own guess is that of a narrower font.
setPlatformAPI({
  measureText: (text: string, font?: string) => ({
    width: textWidth(text, Number(/([\d.]+)px/.exec(font ?? '')?.[1] ?? 12)),
  }),
});

const fontFile = (name: string) => fileURLToPath(new URL(`fonts/${name}`, import.meta.url));
const latin = ['Inter-Regular.ttf', 'Inter-SemiBold.ttf'].map(fontFile);
/** Each is read anew for every picture: a language's large ones only where its script is, in a market's name say. */
const fontsOf = (svg: string): string[] => [
  ...latin,
  ...languages.flatMap((language) => {
    const { fonts } = catalogueOf(language).about;
    return fonts?.script.test(svg) === true ? [fonts.regular, fonts.bold].map(fontFile) : [];
  }),
];

/** Bytes of a picture: what a phone loads without waiting. */
export const largestPicture = 60_000;

/**
 * ECharts clips every line, asked to or not. The axes hold every value, so nothing is cut, and each clip costs resvg a
 * layer of the whole picture: with eight lines half of its time.
 */
const clipped = /<g clip-path="url\(#[^"<>]*\)">/g;

export function drawSvg(chart: Chart<string>, options: DrawOptions): string {
  const { option, height } = drawing(chart, options);
  const drawn = init(null, null, { renderer: 'svg', ssr: true, width: picture.width, height });
  try {
    drawn.setOption(option);
    return drawn.renderToSVGString().replaceAll(clipped, '<g>');
  } finally {
    drawn.dispose();
  }
}

/** A PNG within `largestPicture`: of what would be larger, fewer pixels. */
export function drawPng(chart: Chart<string>, options: DrawOptions): Uint8Array {
  const svg = drawSvg(chart, options);
  for (let zoom: number = picture.zoom; ; zoom *= 0.75) {
    const { pixels, width, height } = new Resvg(svg, {
      fitTo: { mode: 'zoom', value: zoom },
      font: {
        loadSystemFonts: false,
        fontFiles: fontsOf(svg),
        defaultFontFamily: 'Inter',
        sansSerifFamily: 'Inter',
      },
    }).render();
    const png = encodePng(pixels, { width, height });
    if (png.byteLength <= largestPicture || zoom < 0.5) return png;
  }
}
