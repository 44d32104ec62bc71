import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { init, setPlatformAPI } from 'echarts/dist/echarts.esm.min';
import type { Chart } from '../alert/alert.ts';
import { catalogueOf, languages } from '../language/languages.ts';
import { picture, textWidth } from './layout.ts';
import { type DrawOptions, drawing } from './option.ts';
import { encodePng } from './png.ts';

// There is no canvas to measure text with, and ECharts' own estimate is that of a narrower font.
setPlatformAPI({
  measureText: (text: string, font?: string) => ({
    width: textWidth(text, Number(/([\d.]+)px/.exec(font ?? '')?.[1] ?? 12)),
  }),
});

const fontFile = (name: string) => fileURLToPath(new URL(`fonts/${name}`, import.meta.url));
const latinFonts = ['Inter-Regular.ttf', 'Inter-SemiBold.ttf'].map(fontFile);
/**
 * Returns the font files for a picture. They are read anew for every picture, so the large ones of a language are given
 * only if its script is in the picture, in a market's name for example.
 */
const fontsOf = (svg: string): string[] => [
  ...latinFonts,
  ...languages.flatMap((language) => {
    const { fonts } = catalogueOf(language).about;
    return fonts?.script.test(svg) === true ? [fonts.regular, fonts.bold].map(fontFile) : [];
  }),
];

/** The size that a picture should not exceed, bytes: a phone loads it without delay. */
export const maxPictureBytes = 60_000;

/**
 * The clips that ECharts puts around every line, even if told not to. The axes hold every value, so nothing needs to be
 * cut, and each clip costs resvg a layer of the whole picture: with eight lines half of its time.
 */
const clipGroups = /<g clip-path="url\(#[^"<>]*\)">/g;

export function drawSvg(chart: Chart<string>, options: DrawOptions): string {
  const { option, height } = drawing(chart, options);
  const instance = init(null, null, { renderer: 'svg', ssr: true, width: picture.width, height });
  try {
    instance.setOption(option);
    return instance.renderToSVGString().replaceAll(clipGroups, '<g>');
  } finally {
    instance.dispose();
  }
}

/**
 * Draws a PNG within `maxPictureBytes`. A picture that would be larger is drawn with fewer pixels, down to a zoom of
 * about a half.
 */
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
    if (png.byteLength <= maxPictureBytes || zoom < 0.5) return png;
  }
}
