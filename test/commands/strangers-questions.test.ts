import { expect, it } from 'vitest';
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
