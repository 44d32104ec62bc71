import { z } from 'zod';
import { receiverKey } from '../alert/subscription.ts';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { candleIntervals, candleLengths } from '../contract/candle-interval.ts';
import { quoted } from '../language/closest.ts';
import { UserError } from '../language/errors.ts';
import { amount, marketName, percent, price } from '../language/format.ts';
import { listOf, msg, type Text, typed } from '../language/text.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { staleDataFacts } from '../shell/failure.ts';
import { splitList, symbol } from '../shell/input.ts';
import type { Word } from '../shell/parse.ts';
import { marketPicture } from './kit/market-chart.ts';
import { type Indicator, indicators } from './kit/overlays.ts';

/** How many of the latest alerts, and of the latest deliveries here, are searched. */
const maxSearched = 500;
const defaultInterval = '1h';

/** What people call indicators. */
const otherWords: Readonly<Record<string, Indicator>> = { bb: 'bollinger', bands: 'bollinger' };
const indicatorOf = (text: string): Indicator | undefined => {
  const typed = text.toLowerCase();
  return indicators.find((each) => each === typed) ?? otherWords[typed];
};
const intervalOf = (text: string) => candleIntervals.find((each) => each === text.toLowerCase());
/** An alert’s id, as its Chart button has it. */
const isAlertId = (text: string): boolean => /^[\da-f]{8,}-[\da-z]+$/.test(text);

/** Reads `4h btc ema rsi` in any order, and an alert’s id. */
function shorthand(words: readonly Word[]): readonly Word[] {
  const named: string[] = [];
  const others = words.flatMap((word): Word[] => {
    if (word.key !== undefined) return [word];
    // Where charts are common 1M is a month, not a minute: it is refused like a word that is nothing here.
    if (word.text === '1M') return [{ key: 'alert', text: word.text }];
    const interval = intervalOf(word.text);
    if (interval !== undefined) return [{ key: 'interval', text: interval }];
    if (isAlertId(word.text)) return [{ key: 'alert', text: word.text }];
    if (indicatorOf(word.text) === undefined) return [word];
    named.push(word.text);
    return [];
  });
  return named.length === 0 ? others : [...others, { key: 'with', text: named.join(',') }];
}

export default defineCommand({
  name: 'chart',
  topic: 'past',
  shorthand,
  description: msg('Chart of a market, candles with all that is known beside them; or of an alert'),
  input: z.object({
    symbol: symbol.describe('Market, e.g. BTCUSDT').optional(),
    interval: z.enum(candleIntervals).describe('Length of a candle (default: 1h)').optional(),
    with: z
      .string()
      .transform(splitList)
      .pipe(
        z.array(
          z
            .string()
            .transform((text) => indicatorOf(text) ?? text)
            .pipe(z.enum(indicators)),
        ),
      )
      .meta({ offers: [...indicators], list: true })
      .describe('Indicators: ema, bollinger, vwap, rsi')
      .optional(),
    alert: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .describe('The alert’s id, as its Chart button has it (default: the latest sent here)')
      .optional(),
  }),
  async run({ symbol, interval = defaultInterval, with: wanted = [], alert }, context) {
    // A word that is nothing else was taken for an alert's id.
    if (alert !== undefined && (symbol !== undefined || !isAlertId(alert)))
      throw new UserError(
        msg('{text} is no market, indicator or alert, and candles have one of these lengths: {intervals}.', {
          text: quoted(alert),
          intervals: listOf(candleIntervals),
        }),
      );
    if (symbol === undefined) return chartOfAlert(alert, context);
    const chosen = [...new Set(wanted)];
    const picture = await marketPicture(symbol, { ...context, interval, indicators: chosen });
    if (picture === undefined)
      return {
        title: marketName(symbol),
        summary: msg('No {interval} candles of it are known yet.', { interval }),
      };
    const { chart, candles, judged, missing, dataTime } = picture;
    const [first, last] = [candles[0], candles.at(-1)];
    const again = (more: string): string => ['chart', symbol, more].filter(Boolean).join(' ');
    const indicatorNames: Readonly<Record<Indicator, Text>> = {
      ema: msg('EMA'),
      bollinger: msg('Bollinger'),
      vwap: msg('VWAP'),
      rsi: msg('RSI'),
    };
    return {
      title: msg('{symbol}, {interval}: closed at {price}', {
        symbol: marketName(symbol),
        interval,
        price: price(last?.close),
      }),
      facts: [
        {
          name: msg('Since the first candle'),
          value: percent(
            first === undefined || last === undefined ? undefined : (last.close / first.open - 1) * 100,
          ),
        },
        {
          name: msg('Range'),
          value: msg('{low} to {high}', {
            low: price(Math.min(...candles.map(({ low }) => low))),
            high: price(Math.max(...candles.map(({ high }) => high))),
          }),
        },
        { name: msg('Volume'), value: amount(candles.reduce((sum, { volume }) => sum + volume, 0)) },
        ...judged,
        ...missing,
        ...staleDataFacts(dataTime, { now: context.now, limit: 2 * candleLengths[interval] }),
      ],
      chart,
      actions: [
        ...(['15m', '1h', '4h', '1d'] as const)
          .filter((each) => each !== interval)
          .map((each) => ({ label: each, command: again([each, ...chosen].join(' ')) })),
        ...indicators
          .filter((each) => !chosen.includes(each))
          .slice(0, 1)
          .map((each) => ({
            label: indicatorNames[each],
            command: again([interval, ...chosen, each].join(' ')),
          })),
      ],
      dataTime,
    };
  },
});

/** Shows the chart of one alert, or of the latest that was sent here. */
async function chartOfAlert(
  id: string | undefined,
  { store, caller }: Pick<CommandContext, 'store' | 'caller'>,
): Promise<Card> {
  const [firing, recent, sent] = await Promise.all([
    store.alerts.firing(),
    store.alerts.recent(maxSearched),
    store.deliveries.recent(caller.receiver, maxSearched),
  ]);
  const sentAlerts = sent.flatMap(({ alert }) => alert ?? []);
  const isForHere = ({ only }: (typeof sentAlerts)[number]) =>
    only === undefined || receiverKey(only) === receiverKey(caller.receiver);
  const found =
    id === undefined
      ? sentAlerts.find(({ annotations }) => annotations.chart !== undefined)
      : [...sentAlerts, ...firing, ...recent].filter(isForHere).find((alert) => alert.id === id);
  const { actions, chart, facts, ...card } = found === undefined ? noChartCard : alertCard([found]);
  if (chart === undefined) return noChartCard;
  // A button that shows the same chart again would be useless.
  const others = actions?.filter(({ command }) => !command.startsWith('chart '));
  return {
    ...card,
    facts: facts?.slice(0, 3) ?? [],
    chart,
    ...(others !== undefined && { actions: others }),
  };
}

const noChartCard: Card = {
  title: msg('No chart of an alert'),
  summary: msg('No such alert is kept, or it has none. For a market: {example}.', {
    example: typed('chart btc 4h', 'chart symbol:btc interval:4h'),
  }),
};
