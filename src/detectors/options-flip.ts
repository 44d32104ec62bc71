import { z } from 'zod';
import type { Change } from '../alert/alert.ts';
import { askEach } from '../client/each.ts';
import type { EndpointAnswer } from '../contract/index.ts';
import { amount, number, price, span } from '../language/format.ts';
import { msg } from '../language/text.ts';
import { duration, hour } from '../runtime/units.ts';
import { defineDetector } from './detector.ts';
import { charted, points, series, type Timed } from './kit/series.ts';
import { type Turning, turn, turning } from './kit/turn.ts';

const currencies = ['BTC', 'ETH'] as const;
/** Rows come every 15 minutes: three missing, and where the ratio is now is not known. */
const stale = hour;

type Row = Timed<EndpointAnswer<'optionsSummary'>['data'][number]>;

/**
 * Put/call by open interest crosses `level`, 1 where there is as much in puts as in calls. The service's signal
 * (interface, rule 6: below 0.7, above 1.2) can stand for months (domain notes: a whole real ETH chain at 0.325),
 * so the crossing is told and not the state. What lies within `margin` of the level is the hysteresis.
 */
export default defineDetector({
  name: 'options-flip',
  description: msg('BTC or ETH put open interest overtakes call open interest, or falls behind it'),
  preset: 'standard',
  schedule: '35 8-59/15 * * * *',
  options: z
    .object({
      level: z.number().positive().default(1),
      /** Of the ratio, on either side of the level. */
      margin: z.number().min(0).default(0.05),
      /** Rows in a row, of 15 minutes each. */
      confirm: z.int().min(1).default(8),
      settle: duration.prefault('24h'),
      cooldown: duration.prefault('3d'),
    })
    .refine(({ level, margin }) => margin < level, 'margin must be below level'),
  state: z.object({ currencies: z.record(z.string(), turning) }),

  async observe({ data, signal }) {
    const answers = await askEach(currencies, (currency) => data.optionsSummary({ currency }, signal));
    return [...answers].map(([currency, answer]) => ({ currency, rows: answer.data }));
  },

  step(state, answers, { options, now }) {
    const turnings: Record<string, Turning> = { ...state?.currencies };
    const changes: Change[] = [];
    for (const { currency, rows } of answers) {
      const known = series(rows, now);
      const current = known.at(-1);
      if (current === undefined || now - current.at > stale) continue;
      const { next, told } = turn(
        turnings[currency],
        known.map((row) => ({ at: row.at, side: sideOf(row.putCallRatio, options) })),
        options,
      );
      if (next === undefined) continue;
      turnings[currency] = next;
      for (const [status, side] of told)
        changes.push(
          change(status, side, { currency, rows: known, current, stays: next.side === side }, options),
        );
    }
    return { state: { currencies: turnings }, changes };
  },
});

interface Levels {
  readonly level: number;
  readonly margin: number;
}

const sideOf = (ratio: number, { level, margin }: Levels): string | null =>
  ratio >= level + margin ? 'PUTS' : ratio <= level - margin ? 'CALLS' : null;

interface Seen {
  readonly currency: string;
  readonly rows: readonly Row[];
  readonly current: Row;
  /** It is still on the side it had turned to. */
  readonly stays: boolean;
}

function change(
  status: Change['status'],
  side: string,
  { currency, rows, current, stays }: Seen,
  { level, settle }: Levels & { readonly settle: number },
): Change {
  const ratio = number(current.putCallRatio, 2);
  return {
    status,
    labels: { kind: 'options-flip', symbol: `${currency}USDT`, to: side },
    severity: 'warning',
    annotations: {
      title: msg(
        '{currency} options: put/call {side, select, PUTS {rose above} other {fell below}} {level} ({ratio})',
        { currency, side, level: number(level, 2), ratio },
      ),
      summary:
        status === 'firing'
          ? msg(
              '{side, select, PUTS {Open interest has shifted towards puts: more protection, or more bets on a fall.} other {Open interest has shifted towards calls: more bets on a rise, or calls written against coins held.}} Which of them it is, the ratio does not say.',
              { side },
            )
          : stays
            ? msg('It has stayed there for {span}.', { span: span(settle) })
            : msg('It has turned back.'),
      facts: [
        { name: msg('Put/call'), value: ratio },
        { name: msg('Calls'), value: msg('{size} {currency}', { size: amount(current.callOI), currency }) },
        { name: msg('Puts'), value: msg('{size} {currency}', { size: amount(current.putOI), currency }) },
        { name: msg('Max pain'), value: price(current.maxPain) },
        { name: msg('Implied volatility'), value: msg('{iv}% a year', { iv: number(current.avgIV, 1) }) },
      ],
      chart: charted(msg('Put/call ratio of {currency} options', { currency }), {
        unit: '',
        series: [{ name: currency, points: points(rows, ({ putCallRatio }) => putCallRatio) }],
        marks: [{ name: msg('threshold'), value: level }],
      }),
      dataTime: current.at,
    },
  };
}
