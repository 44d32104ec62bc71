import { z } from 'zod';
import { ratePer } from '../alert/rate-per.ts';
import { marketName, percent, share, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { day, minute, second } from '../runtime/units.ts';
import { defineEpisodes, lostData, type OptionsOf, setting } from './kit/define-episodes.ts';
import { followedRows, rowRules, venueTitle } from './kit/rows.ts';

const maxRows = 200;
const year = 365 * day;

/** The gap and its two venues at the last look at which the gap was wide. */
const note = z.object({ pct: z.number(), highest: z.string(), lowest: z.string() });

const options = {
  enter: setting.positive(
    20,
    'percent a year between the dearest venue and the cheapest: what opening and closing both legs costs, about 0.2 %, is then earned in four days',
  ),
  exit: setting.positive(10, 'percent a year below which it ends'),
  fees: setting.number(0.2, 'percent that opening and closing both legs costs: four fills at 0.05 %'),
  warning: setting.positive(60, 'percent a year from which it is a warning; less is info'),
  critical: setting.positive(200, 'percent a year'),
  confirm: setting.integer(2, 'looks in a row: a rate that runs turns in minutes'),
  calm: setting.integer(3, 'looks in a row below exit before it has ended'),
  cooldown: setting.duration('8h', 'after its end, unless it is worse'),
};

/**
 * Alerts when a market's running funding differs between venues by enough to be worth a trade. It is compared as
 * percent a year, computed by each venue's own interval. The names of the venues are no labels: another venue may
 * become the dearest while the alert lasts.
 */
export default defineEpisodes({
  name: 'funding-gap',
  description: msg('A market’s funding differs widely between exchanges'),
  preset: 'everything',
  smallest: ({ enter }) => msg('{size} a year between two exchanges', { size: share(enter / 100) }),
  // The gap is earned whichever way the price goes.
  prediction: null,
  schedule: '35 */5 * * * *',
  cost: 'one request, of all symbols and venues',
  groupWait: 30 * second,
  options,
  check: [
    ({ exit, enter, warning, critical }) => exit < enter && enter <= warning && warning <= critical,
    'exit < enter ≤ warning ≤ critical is expected',
  ],
  note,
  trail: { interval: 15 * minute, maxValues: 96 },
  rules: rowRules,
  observe: ({ data, signal }) => data.fundingDispersion({ limit: maxRows }, signal),

  look: ({ data }, { options, now, values }) =>
    followedRows(data, {
      values,
      now,
      read: ({ premiumPct }) => premiumPct,
      judge(pct, row) {
        const wide = pct >= options.exit;
        return {
          side: wide ? 'WIDE' : null,
          strong: pct >= options.enter,
          severity: severityOf(pct, options),
          // A market keeps a trail only while its gap is wide: few are, and each trail holds up to a day of numbers.
          ...(wide && {
            note: { pct, highest: venueTitle(row, row.highest), lowest: venueTitle(row, row.lowest) },
            traced: pct,
          }),
        };
      },
    }),

  labelsOf: (symbol) => ({ symbol }),

  tell({ ended, note: worst }, { seen: { key: symbol, row, lost }, options, past }) {
    const name = marketName(symbol);
    const { pct = 0, highest = '–', lowest = '–' } = worst ?? {};
    const gap = share((row?.premiumPct ?? pct) / 100, 1);
    const values = { symbol: name, gap, highest, lowest };
    const carry = row?.premiumPct ?? pct;
    return {
      title: ended
        ? msg('{symbol} funding gap closed: {gap} a year', values)
        : msg('{symbol} funding gap: {gap} a year between {highest} and {lowest}', values),
      summary: ended
        ? msg('Funding differs by less than {exit} a year between exchanges again.', {
            exit: share(options.exit / 100),
          })
        : msg(
            'Short at {highest} and long at {lowest} collects the difference while it lasts, before fees and the risk of two accounts.',
            values,
          ),
      facts: [
        ...(row?.legs ?? []).map(
          ({ title, rate, hours, annualizedPct }) =>
            [
              title,
              annualizedPct === undefined
                ? ratePer(rate, hours)
                : msg('{rate}, {year} a year', {
                    rate: ratePer(rate, hours),
                    year: percent(annualizedPct, 1),
                  }),
            ] as const,
        ),
        row?.gap8h !== undefined && [msg('Gap in 8 h'), share(row.gap8h, 4)],
        !ended && [
          msg('Fees of both legs'),
          msg('{fees}, earned in {time} at this gap', {
            fees: share(options.fees / 100, 2),
            time: span((options.fees / carry) * year),
          }),
        ],
        !ended && [
          msg('Carry in 30 days, net of fees'),
          percent((carry * 30 * day) / year - options.fees, 2),
        ],
      ],
      picture: {
        subject: msg('Funding gap of {symbol}', values),
        unit: '%',
        line: [msg('A year'), past],
        marks: [[msg('wide from'), options.enter]],
      },
      prominence: carry,
      ...(lost !== undefined && lostData(name, lost)),
    };
  },
});

const severityOf = (pct: number, { warning, critical }: OptionsOf<typeof options>) =>
  pct >= critical ? ('critical' as const) : pct >= warning ? ('warning' as const) : ('info' as const);
