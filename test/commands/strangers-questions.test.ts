import { expect, it } from 'vitest';
import { plainReader, say } from '#src/language/say.ts';
import { ask } from '#test/support/commands.ts';

/** What somebody who has read no help asks of one market, the two names that he tries, and what the answer is about. */
it.each<readonly [string, readonly [string, string], RegExp]>([
  ['Is BTC crowded?', ['crowded btc', 'leverage btc'], /^Leverage of BTC/],
  ['Where are the stops?', ['stops btc', 'levels btc'], /^Liquidation levels of BTC/],
  ['What is funding now, and is that high?', ['funding btc', 'btc funding'], /^BTC funding/],
  ['What would a fall of 5 % set off?', ['crash btc -5', 'cascade btc -5'], /^BTC −5%/],
  ['Who was liquidated?', ['liquidations btc', 'btc liquidations'], /^Liquidations of BTC/],
  ['Are people long or short?', ['longs btc', 'sentiment btc'], /BTC/],
  ['Is somebody buying?', ['volume btc', 'buyers btc'], /^Volume delta of BTC/],
  ['Is there a trend?', ['trend btc', 'regime btc'], /[Rr]egime|likely/],
  ['Is money coming in?', ['interest btc', 'oi btc'], /BTC/],
  ['What does it look like?', ['chart btc', 'btc'], /BTC/],
])('%s is answered by either name that is tried: %j', async (_, tries, title) => {
  for (const line of tries) {
    const card = await ask(line);
    expect(card.failure, line).toBeUndefined();
    expect(String(card.title), line).toMatch(title);
  }
});

/** A whole sentence is no command, but its words say which would answer it. */
it.each<readonly [string, string]>([
  ['is btc crowded', 'Did you mean leverage btc or ratio btc?'],
  ['Is BTC crowded?', 'Did you mean leverage btc or ratio btc?'],
  ['where are the stops btc', 'Did you mean levels btc?'],
  ['Where are the stops of bitcoin?', 'Did you mean levels btc?'],
  ['why did btc dump', 'Did you mean coin btc or liquidations btc?'],
  ['Why is ETH dumping?', 'Did you mean coin eth or liquidations eth?'],
  ['how crowded is the market', 'Did you mean leverage, ratio or market?'],
  ['are people long on eth?', 'Did you mean ratio eth?'],
  ['is funding high for sol', 'Did you mean funding sol?'],
  ['who was liquidated on btc?', 'Did you mean liquidations btc?'],
  [
    'is btc crowded, long, dumping, trending, liquidated',
    'Did you mean leverage btc, ratio btc or coin btc?',
  ],
])('the question %j is told what to type instead: %s', async (line, hint) => {
  const { failure, summary } = await ask(line);
  expect(failure).toBeDefined();
  expect(say(summary ?? '', plainReader).split(' Type ')[0]).toBe(hint);
});

it.each(['why foo', 'is this it'])('%j names no command, and none is made of it', async (line) => {
  expect(say((await ask(line)).summary ?? '', plainReader)).not.toMatch(/Did you mean why/);
});

const offered = (await ask('is btc crowded, long, dumping, trending, liquidated')).summary;
it('every line that is offered can be asked', async () => {
  for (const [, line = ''] of say(offered ?? '', plainReader).matchAll(/(\w+ btc)/g))
    expect((await ask(line)).failure, line).toBeUndefined();
});
