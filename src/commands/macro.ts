import { z } from 'zod';
import type { EndpointAnswer } from '../contract/index.ts';
import { percent, price, signed, span } from '../language/format.ts';
import { msg, msgIn, type Text } from '../language/text.ts';
import { day, hour } from '../runtime/units.ts';
import { coveredLength, windowOf } from '../runtime/window.ts';
import { defineCommand } from '../shell/command.ts';
import { awaitOptionalPart, staleDataFacts } from '../shell/failure.ts';
import { wholeNumber } from '../shell/input.ts';
import { candlesOf, shorterPastFacts } from './kit/candles.ts';
import { dollarName } from './kit/dollar-name.ts';
import { changePct, downsample, type Points, points, scaleToHundred } from './kit/series.ts';

/** The most points of a line on a chart. */
const maxPoints = 300;

type Row = EndpointAnswer<'crossAssetHistory'>['data'][number];

interface Asset {
  readonly name: Text;
  readonly value: (row: Row) => number | undefined;
  readonly correlation: (row: Row) => number | undefined;
}

const assetsOf = (answer: EndpointAnswer<'crossAssetHistory'>): readonly Asset[] => [
  { name: indexName(answer), value: ({ sp500 }) => sp500, correlation: (row) => row.btc_sp500_corr },
  {
    name: answer.goldMarket === 'PERPETUAL' ? msg('Gold (perpetual)') : msg('Gold'),
    value: ({ gold }) => gold,
    correlation: (row) => row.btc_gold_corr,
  },
  { name: dollarName(answer), value: ({ dxy }) => dxy, correlation: (row) => row.btc_dxy_corr },
];

const indexName = ({ sp500Market }: EndpointAnswer<'crossAssetHistory'>): Text =>
  sp500Market === undefined
    ? msg('S&P 500')
    : sp500Market === 'ETF_PERPETUAL'
      ? msg('S&P 500 (perpetual on its ETF)')
      : msg('S&P 500 (perpetual)');

export default defineCommand({
  name: 'macro',
  description: msg('S&P 500, gold and the dollar, and how they move with bitcoin'),
  input: z.object({
    days: wholeNumber(1, 90).default(30).describe('How many days back'),
  }),
  async run({ days }, context) {
    const { data, now, signal } = context;
    const [answer, bitcoin] = await Promise.all([
      data.crossAssetHistory({ hours: days * 24 }, signal),
      awaitOptionalPart(msg('The price'), candlesOf('BTCUSDT', { ...context, hours: days * 24 })),
    ]);
    const { data: rows } = answer;
    const found = assetsOf(answer)
      .map(({ name, value, correlation }) => ({
        name,
        values: finiteOnly(points(rows, value)),
        correlations: finiteOnly(points(rows, correlation)),
      }))
      .filter(({ values, correlations }) => values.length + correlations.length > 0);
    if (found.length === 0) {
      return {
        title: msg('Bitcoin and other markets'),
        summary: msg('No data in the last {length}: the data service may have no provider for them.', {
          length: span(days * day),
        }),
      };
    }
    // All are drawn from 100, so from the same time: bitcoin is left out while its history is shorter.
    const covered = Math.min(
      ...found.map(({ values }) => (values.length < 2 ? days * day : coveredLength(values, days * day))),
    );
    const known = found.map((each) => ({ ...each, values: windowOf(each.values, covered) }));
    const length = span(covered);
    const closes = windowOf(bitcoin.value?.closes ?? [], covered);
    const shorter = shorterPastFacts(closes, { symbol: 'BTCUSDT', length: covered });
    const dataTime = Math.max(
      ...known.flatMap(({ values, correlations }) => [newest(values), newest(correlations)]),
    );
    return {
      title: msg('Bitcoin and other markets'),
      summary: msg(
        'Correlation with bitcoin: 1 together, 0 unrelated, −1 opposite. Age: time since the last value.',
      ),
      facts: [...bitcoin.missing, ...shorter, ...staleDataFacts(dataTime, { now, limit: hour })],
      table: {
        columns: [
          msgIn('asset', 'Market'),
          msg('Last'),
          msg('Change in {length}', { length }),
          msg('Correlation'),
          msg('Age'),
        ],
        rows: known.map(({ name, values, correlations }) => [
          name,
          price(values.at(-1)?.[1]),
          percent(changePct(values)),
          signed(correlations.at(-1)?.[1]),
          age(values, now),
        ]),
      },
      ...(rows.length > 1 && {
        chart: {
          title: msg('Bitcoin and other markets, last {length}, start = 100', { length }),
          unit: '',
          series: [{ name: msg('Bitcoin'), values: shorter.length === 0 ? closes : [] }, ...known]
            .map(({ name, values }) => ({
              name,
              points: scaleToHundred(downsample(values, { limit: maxPoints, how: 'last' })),
            }))
            .filter((series) => series.points.length > 0),
          below: {
            unit: '',
            series: known
              .filter(({ correlations }) => correlations.length > 0)
              .map(({ name, correlations }) => ({
                name: msg('{market}, correlation', { market: name }),
                points: downsample(correlations, { limit: maxPoints, how: 'mean' }),
              })),
          },
        },
      }),
      dataTime,
    };
  },
});

const finiteOnly = (all: Points): Points => all.filter(([, value]) => Number.isFinite(value));
const newest = (all: Points): number => all.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY;

/**
 * Returns the age of the last value. Providers repeat a value until they have a new one, so it counts from the first
 * repeat.
 */
function age(values: Points, now: number): Text {
  const last = values.at(-1);
  if (last === undefined) return msg('never');
  const before = values.findLastIndex(([, value]) => value !== last[1]);
  const ageText = span(now - (values[before + 1]?.[0] ?? last[0]));
  return before < 0 && values.length > 1 ? msg('more than {stood}', { stood: ageText }) : ageText;
}
