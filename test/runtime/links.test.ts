import { expect, test } from 'vitest';
import { breakLinks, joiner } from '#src/runtime/links.ts';

test.each([
  'evil.com',
  'https://evil.com/x',
  'tg://resolve?domain=x',
  't.me/x',
  'a@b.example',
  'ex-ample.co.uk',
  '1inch.io',
  'under_.com',
  'tilde~.com',
  '😀.ws',
  '👍🏽.ws',
  '❤️.fm',
  '中文。中国',
  'пример.рф',
  'हिन्दी.com',
  'भारत.भारत',
  'ไทย.คอม',
  'xn--e1afmkfd.xn--p1ai',
])('no platform finds a link in %s', (text) => {
  const broken = breakLinks(text);
  expect(broken).not.toBe(text);
  expect(broken.replaceAll(joiner, '')).toBe(text);
  // Behind each dot inside a name, and before each address, something parts the two.
  expect(broken).not.toMatch(/[^\s.\u2060][.\u3002][\p{L}\p{M}]{2}|:\/\//u);
  expect(breakLinks(broken)).toBe(broken);
});

test.each(['1.5 % of 2.25', 'At 10:30. Then more', 'e. g.', '3.x', '…and more', 'BTC/USDT: 5'])(
  'what is none stays as it is: %s',
  (text) => expect(breakLinks(text)).toBe(text),
);
