import { z } from 'zod';
import { count, marketName, number, share, span, words } from '../language/format.ts';
import { msg, type Text } from '../language/text.ts';
import { compact } from '../runtime/compact.ts';
import { day, hour, minute } from '../runtime/units.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitPart, staleDataFacts } from '../shell/failure.ts';
import { symbol, wholeNumber } from '../shell/input.ts';

const componentNames: Readonly<Record<string, Text>> = {
  liquidations: msg('Liquidations of the last hour'),
  proximity: msg('Positions near their liquidation'),
  openInterest: msg('Change of open interest'),
  funding: msg('Funding'),
};

export default defineCommand({
  name: 'leverage',
  otherNames: ['crowded', 'risk', 'overheated', 'squeeze'],
  description: msg(
    'How leveraged a market is: implied leverage, and the risk of liquidations with its parts',
  ),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').default('BTCUSDT'),
    hours: wholeNumber(1, 168).default(24).describe('How many hours back'),
  }),
  async run({ symbol, hours }, { data, now, signal }) {
    const [leverage, score] = await Promise.all([
      data.leverage({ symbol, hours }, signal),
      awaitPart(msg('The risk score'), data.liquidationScore({ symbol }, signal)),
    ]);
    const { estimatedLeverage, sampleSize, oiToVolume } = leverage;
    const dataTime = Date.parse(leverage.timestamp);
    return {
      title:
        estimatedLeverage === undefined
          ? msg('Leverage of {symbol}: not known', { symbol: marketName(symbol) })
          : msg('Leverage of {symbol}: about {times} ×', {
              symbol: marketName(symbol),
              times: number(estimatedLeverage, 0),
            }),
      summary: msg(
        'Estimated from {n, plural, one {# liquidation} other {# liquidations}} of the last {length}: the most leveraged positions, so an upper bound for the rest.',
        { n: sampleSize, length: span(hours * hour) },
      ),
      facts: compact([
        oiToVolume !== undefined && {
          name: msg('Open interest'),
          value: msg('{times} × the volume of {length}', { times: number(oiToVolume), length: span(day) }),
        },
        score.value && {
          name: msg('Liquidation risk'),
          value: msg('{value} of 100', { value: number(score.value.score, 0) }),
        },
        score.value && { name: msg('Side at risk'), value: words(score.value.sideAtRisk) },
        ...score.missing,
        ...staleDataFacts(dataTime, { now, limit: 20 * minute }),
      ]),
      table: {
        columns: [msg('Part of the score'), msg('Value'), msg('Weight')],
        rows: (score.value?.components ?? []).map(({ name, value, weight }) => [
          componentNames[name] ?? words(name),
          count(value * 100),
          share(weight),
        ]),
      },
      actions: [
        { label: msg('Levels'), command: `levels ${symbol}` },
        { label: msg('Down 5 %'), command: `cascade ${symbol} -5` },
      ],
      dataTime,
    };
  },
});
