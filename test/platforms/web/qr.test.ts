import { describe, expect, it } from 'vitest';
import { correctionOf, qrOf, qrPath, withRemainder } from '#src/platforms/web/qr.ts';

describe('a QR code', () => {
  it('is corrected as ISO 18004 shows for "01234567" (annex I) and as the usual example "HELLO WORLD"', () => {
    const numeric = [16, 32, 12, 86, 97, 128, 236, 17, 236, 17, 236, 17, 236, 17, 236, 17];
    expect(correctionOf(numeric, 10)).toEqual([165, 36, 212, 193, 237, 54, 199, 135, 44, 85]);
    const words = [32, 91, 11, 120, 209, 114, 220, 77, 67, 64, 236, 17, 236, 17, 236, 17];
    expect(correctionOf(words, 10)).toEqual([196, 35, 39, 119, 235, 215, 231, 226, 93, 23]);
  });

  it.each([
    ['version 7 (annex D)', 7, { by: 0x1f25, length: 12 }, 0x07c94],
    ['version 10 (annex D)', 10, { by: 0x1f25, length: 12 }, 0x0a4d3],
    ['level M, mask 5 (annex C)', 0b00101, { by: 0x537, length: 10 }, 0b001010011011100],
  ])('says its version and its format: %s', (_, value, by, expected) => {
    expect(withRemainder(value, by)).toBe(expected);
  });

  it('is as large as its text needs, and none is made of a text that is too long', () => {
    const sizeOf = (length: number) => qrOf('a'.repeat(length))?.length;
    expect([17, 18, 32, 53, 271, 272].map(sizeOf)).toEqual([21, 25, 25, 29, 57, undefined]);
  });

  it('has its three finders and a light border', () => {
    const rows = qrOf('https://t.me/tocsin_bot') ?? [];
    const finder = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'];
    const corner = (x: number, y: number) =>
      rows.slice(y, y + 7).map((row) =>
        row
          .slice(x, x + 7)
          .map(Number)
          .join(''),
      );
    const far = rows.length - 7;
    expect([corner(0, 0), corner(far, 0), corner(0, far)]).toEqual([finder, finder, finder]);
    expect(qrPath('https://t.me/tocsin_bot')).toMatchObject({
      size: rows.length + 8,
      path: expect.stringMatching(/^M4 4h1v1h-1z/),
    });
  });
});
