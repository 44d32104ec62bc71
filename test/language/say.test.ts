import { expect, it } from 'vitest';
import { amount, rate, time, usd } from '#src/language/format.ts';
import type { Language } from '#src/language/languages.ts';
import { say } from '#src/language/say.ts';
import { join, listOf, msg, msgIn, type Text } from '#src/language/text.ts';

const settled = Date.UTC(2025, 10, 21, 14, 5);
const symbols = listOf(['BTC', 'ETH', 'SOL']);

const said: readonly (readonly [rule: string, text: Text, ...said: readonly string[]])[] = [
  ['a word is told apart by its context', msgIn('funding', 'Rate'), 'Rate', 'Tasa', '费率'],
  ['a word of another context is another', msgIn('change', 'Rate'), 'Rate', 'Ritmo', '变化率'],
  ['what no catalogue holds is said in English', msgIn('nowhere', 'Rate'), 'Rate', 'Rate', 'Rate'],
  ['a list is separated as the language has it', symbols, 'BTC, ETH, SOL', 'BTC, ETH y SOL', 'BTC、ETH、SOL'],
  ['a list of one is that one', listOf(['BTC']), 'BTC', 'BTC', 'BTC'],
  ['a list of nothing is nothing', listOf([]), '', '', ''],
  [
    'sentences follow each other as the language has it',
    join([msg('All resolved.'), msg('None.')], ' '),
    'All resolved. None.',
    'Todas resueltas. Ninguna.',
    '全部已结束。没有警报。',
  ],
  ['thousands of dollars', usd(12_345), '$12.3K', '12,3 mil $', '$1.23万'],
  ['millions of dollars', usd(1.23e6), '$1.23M', '1,23 M $', '$123万'],
  ['what rounds to a thousand millions', usd(999.6e6), '$1B', '1 mil M $', '$10亿'],
  ['thousands of millions of dollars', usd(1.234e9), '$1.23B', '1,23 mil M $', '$12.3亿'],
  ['less than none of them', usd(-25e9), '−$25B', '−25 mil M $', '−$250亿'],
  ['a million millions', amount(1.5e12), '1.5T', '1,5 B', '1.5万亿'],
  ['a rate', rate(0.0001), '+0.0100%', '+0,0100 %', '+0.0100%'],
];

it.each(said)('%s', (_, text, ...expected) => {
  const languages: readonly Language[] = ['en', 'es', 'zh'];
  const all = languages.map((language) => say(text, { language, timeZone: 'UTC' }));
  expect(all.map((each) => each.replaceAll('\u00a0', ' '))).toEqual(expected);
});

it.each([
  ['en', 'UTC', '21 Nov 2025, 14:05 UTC'],
  ['es', 'UTC', '21 nov 2025, 14:05 UTC'],
  ['zh', 'UTC', '2025年11月21日 14:05 UTC'],
  ['zh', 'Asia/Shanghai', '2025年11月21日 22:05 北京时间'],
  ['es', 'America/Bogota', '21 nov 2025, 09:05 GMT-5'],
] as const)('a time ends with its time zone: %s, %s', (language, timeZone, expected) => {
  expect(say(time(settled), { language, timeZone })).toBe(expected);
});

it('a reader whose chosen language no longer exists gets English', () => {
  const reader = { language: 'xx', timeZone: 'UTC' };
  expect(say(join([msg('All resolved.'), usd(12_345), time(settled)], ' '), reader)).toBe(
    'All resolved. $12.3K 21 Nov 2025, 14:05 UTC',
  );
});
