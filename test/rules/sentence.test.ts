import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isMetric } from '#src/rules/metrics.ts';
import { readSentence, type SentenceReading } from '#src/rules/sentence/read-sentence.ts';
import { hour, minute } from '#src/runtime/units.ts';
import { resolveSymbol } from '#src/shell/symbols.ts';

const universe = [
  'BTC',
  'ETH',
  'SOL',
  'XRP',
  'DOGE',
  'BNB',
  'ADA',
  'AVAX',
  'LINK',
  '1000PEPE',
  'NOT',
  'NEAR',
  'ONE',
  'ME',
].map((coin) => `${coin}USDT`);
const markets = {
  listed: universe,
  find(word: string) {
    try {
      return resolveSymbol(word, universe);
    } catch {
      return undefined;
    }
  },
};
const read = (sentence: string) => readSentence(sentence, markets);

function written({ metric, above, below, level, when, symbols, for: hold, mode }: SentenceReading): string {
  const place = symbols.length === 0 ? 'market' : symbols.map((each) => each.replace('USDT', '')).join();
  const condition =
    when ??
    (above !== undefined
      ? `${metric} > ${above}`
      : below !== undefined
        ? `${metric} < ${below}`
        : `${metric} @ ${level}`);
  const length =
    hold === undefined ? '' : hold % hour === 0 ? ` for ${hold / hour}h` : ` for ${hold / minute}m`;
  return `${place} ${condition}${length}${mode === undefined ? '' : ' once'}`;
}

const cases = ['english.txt', 'other-languages.txt'].flatMap((file) =>
  readFileSync(new URL(`sentences/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' => ') as [string, string]),
);
const namesOf = (reading: string) => reading.match(/[a-zA-Z]\w*\.\w+/g) ?? [];

describe('a sentence is read as it is meant, asked about where it may mean several things, or not read at all', () => {
  test.each(cases)('%s => %s', (sentence, meant) => {
    const { readings, question, problem } = read(sentence);
    const all = readings.map(written);
    const expected = meant === '-' ? [] : meant.split(' | ');
    const offered = expected.filter((reading) => namesOf(reading).every(isMetric));
    if (offered.length === 0) {
      expect(question === undefined ? all : []).toEqual([]);
      expect(problem ?? question).toBeDefined();
    } else if (expected.length === 1) {
      expect(all).toEqual(offered);
      expect(question).toBeUndefined();
    } else {
      expect(question).toBeDefined();
      expect(all).toEqual(expect.arrayContaining(offered));
    }
  });
});
