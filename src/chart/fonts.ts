import { fileURLToPath } from 'node:url';
import { catalogueOf, languages } from '../language/languages.ts';

const fontFile = (name: string) => fileURLToPath(new URL(`fonts/${name}`, import.meta.url));

/** Returns the fonts for a text. The large ones of a language are given only if its script is in the text. */
export const fontsFor = (text: string) => ({
  loadSystemFonts: false,
  fontFiles: [
    'Inter-Regular.ttf',
    'Inter-SemiBold.ttf',
    ...languages.flatMap((language) => {
      const { fonts } = catalogueOf(language).about;
      return fonts?.script.test(text) === true ? [fonts.regular, fonts.bold] : [];
    }),
  ].map(fontFile),
  defaultFontFamily: 'Inter',
  sansSerifFamily: 'Inter',
});
