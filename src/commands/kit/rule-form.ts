import type { Card } from '../../card/card.ts';
import { msg, type Text, typed } from '../../language/text.ts';
import { readNumber } from '../../language/typed-number.ts';
import { timeframes } from '../../rules/candle-metrics.ts';
import { isMetric, type MetricName, metricNames, metricOf } from '../../rules/metrics.ts';
import type { CommandForm, RawInputs } from '../../shell/form.ts';

const maxChoices = 25;
/** What the menu offers, which has no room for all. Others can be typed as the command's option. */
const usual: readonly MetricName[] = [
  'price.last',
  'price.change5mPct',
  'price.change1hPct',
  'price.change24hPct',
  'rsi.1h',
  'rsi.4h',
  'rsi.1d',
  'close.1d',
  'volume.vsUsualPct',
  'funding.ratePct',
  'funding.perYearPct',
  'funding.z',
  'funding.gapPct',
  'oi.valueUsd',
  'oi.change1hPct',
  'oi.allVenuesChange24hPct',
  'liquidations.longUsd1h',
  'liquidations.shortUsd1h',
  'liquidation.score',
  'liquidation.zoneDistancePct',
  'leverage.implied',
  'basis.pct',
  'cvd.total24h',
  'ratio.longPct',
  'fearGreed.value',
];

/** Only metrics that are numbers are offered, because the form asks for a level. */
const isNumber = (name: MetricName): boolean => metricOf(name).labels === undefined;

function metricsOffered(given: string | undefined): readonly MetricName[] {
  const named = given !== undefined && isMetric(given) && isNumber(given) ? given : undefined;
  return named === undefined || usual.includes(named) ? usual : [named, ...usual.slice(0, maxChoices - 1)];
}

/** How often the alert fires, and after how long. The value is `mode` or `mode for`. */
const frequencies: readonly { readonly value: string; readonly label: Text }[] = [
  { value: 'always', label: msg('Every time') },
  { value: 'always 10m', label: msg('Every time it has held for 10 minutes') },
  { value: 'always 1h', label: msg('Every time it has held for an hour') },
  { value: 'once', label: msg('Once, then the alert is deleted') },
];

/** The form for a new alert. It asks for the most important inputs only; the command takes all. */
export const ruleForm: CommandForm = {
  title: msg('New alert'),
  reopenLabel: msg('Change'),
  questions: ({ metric }) => [
    {
      key: 'metric',
      label: msg('Watch'),
      hint: msg('Others can be given as the command’s option'),
      choices: metricsOffered(metric).map((name) => ({
        value: name,
        label: metricOf(name).words,
        about: metricOf(name).description,
      })),
      required: true,
    },
    {
      key: 'side',
      label: msg('Fires when it is'),
      choices: [
        { value: 'above', label: msg('above the level') },
        { value: 'below', label: msg('below the level') },
        { value: 'crosses above', label: msg('crosses above the level') },
        { value: 'crosses below', label: msg('crosses below the level') },
      ],
      required: true,
    },
    { key: 'level', label: msg('Level'), example: '2.5 · -0.1 · 100k', required: true },
    {
      key: 'symbols',
      label: msg('Markets'),
      hint: msg('Some, top20, watchlist or all; none for what is about the whole market'),
      example: 'btc, eth',
      required: false,
    },
    { key: 'often', label: msg('How often'), choices: frequencies, required: true },
  ],
  toInputs({ metric = '', side = 'above', level = '', symbols = '', often: manner = '' }) {
    const [mode = '', held = ''] = manner.split(' ');
    const compared = side.startsWith('crosses')
      ? { when: `${metric} ${side} ${readNumber(level) ?? level.trim()}` }
      : { metric, [side === 'below' ? 'below' : 'above']: level.trim() };
    return withoutEmpty({
      ...compared,
      symbols: symbols.trim(),
      mode,
      for: held,
    });
  },
  toAnswers({ metric: named = '', above, below, when = '', symbols = '', mode = 'always', for: held = '' }) {
    const [, metric = named, crossed, crossedLevel] = crossing.exec(when) ?? [];
    return withoutEmpty({
      metric,
      side: crossed ?? (below === undefined ? 'above' : 'below'),
      level: crossedLevel ?? below ?? above ?? '',
      symbols,
      often: [mode, held].filter((part) => part !== '').join(' '),
    });
  },
};

/** A condition that the form can have asked for by `crosses`. */
const crossing = /^(\S+) (crosses (?:above|below)) (\S+)$/;

const withoutEmpty = (given: RawInputs): RawInputs =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));

/** What own alerts can be about. */
export const metricsCard: Card = {
  title: msg('What an alert can be about'),
  summary: msg('Join several in a condition: {example}.', {
    example: typed(
      'alert create when="funding.z > 2.5 && oi.ratePct > 1" top20',
      'alert create when:funding.z > 2.5 && oi.ratePct > 1 symbols:top20',
    ),
  }),
  table: {
    columns: [msg('Metric'), msg('What it is')],
    rows: metricNames.flatMap((name) => {
      // What is offered for each timeframe is one row.
      const [space, timeframe] = name.split('.');
      if (timeframes.slice(1).some((each) => each === timeframe)) return [];
      const isFirst = timeframe === timeframes[0];
      return [[isFirst ? `${space}.${timeframes.join('|')}` : name, metricOf(name).description]];
    }),
  },
};
