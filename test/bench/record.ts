import { horizons } from '#src/alert/outcome.ts';
import type { Finding } from '#src/record/findings.ts';
import type { KindScore } from '#src/record/records.ts';
import { beyond } from '#src/record/student.ts';
import { formatDuration, hour } from '#src/runtime/units.ts';
import { normal, seeded } from '#test/support/random.ts';
import { type Figure, report } from './measuring/figures.ts';
import { type MadeMarket, madeMarkets, perHour, placebos } from './record/markets.ts';
import { days, type Lived, recordsOf } from './record/told.ts';

/** Takes minutes. */
export const slow = true;

const symbols = 4;

/** Makes one market with all placebos in it, each as a kind of its own. */
export function live(market: MadeMarket, seed: number): Lived[] {
  const random = seeded(seed * 7_919);
  return Array.from({ length: symbols }, () => {
    const steps = market(days * 24, random);
    const fired = Object.fromEntries(
      Object.entries(placebos).map(([name, placebo]) => [name, placebo(steps, random)]),
    );
    return { steps, fired };
  });
}

/** `npm run bench -- record [-- MARKETS]`: how often the record reports an edge of placebos, and of a real edge. */
export default async function record([count = '200']: string[]): Promise<void> {
  const markets = Number(count);
  const placeboFigures: Figure[] = [];
  for (const [name, market] of Object.entries(madeMarkets)) {
    const scores = new Map<string, KindScore[]>();
    for (let seed = 1; seed <= markets; seed += 1) {
      for (const each of await recordsOf(live(market, seed))) {
        const key = `${each.kind}, ${formatDuration(each.horizon)}`;
        scores.set(key, [...(scores.get(key) ?? []), each]);
      }
    }
    const most = (which: (each: KindScore) => boolean) =>
      Math.max(
        ...[...scores.values()].map((of) => {
          const known = of.filter(({ finding }) => finding !== undefined);
          return percent(known.filter(which).length, known.length);
        }),
      );
    placeboFigures.push(
      {
        name: `${name}: told an edge`,
        value: most(({ finding }) => finding?.verdict === 'more'),
        unit: '%',
        bound: { most: 5 },
      },
      { name: '  less than usual', value: most(({ finding }) => finding?.verdict === 'less'), unit: '%' },
      { name: '  by one test alone', value: most(alone), unit: '%' },
    );
  }
  report(
    `${markets} markets, the most of ${Object.keys(placebos).length * horizons.length} placebos`,
    placeboFigures,
  );
  report(`An edge that is there, over 4 h, in ${markets} markets`, await edges(markets));
}

const percent = (some: number, of: number): number => Math.round((1_000 * some) / Math.max(1, of)) / 10;

/** Whether the 95 % interval lies above 0, without the correction for looking at many kinds. */
const alone = ({ found }: KindScore): boolean =>
  found !== undefined &&
  found.excess.mean > 0 &&
  beyond(found.excess.mean / found.excess.error, found.excess.freedom) < 0.05;

const kind = 'with an edge';
const [, fourHours = 0] = horizons;
/** Number of steps in 4 h, which is also the distance between two alerts, so that their effects do not overlap. */
const reach = (4 * perHour * fourHours) / (4 * hour);

/** Makes a market of constant variance in which the price after an alert rises more often than it falls, by `points`. */
export async function withEdge(seed: number, points: number): Promise<Finding | undefined> {
  const random = seeded(seed * 104_729);
  const deviation = 0.003;
  // The push that moves the share of a normal variable above 0 from a half by `points`.
  const push = (deviation * quantile(points) * Math.sqrt(reach)) / reach;
  const lived = Array.from({ length: symbols }, (): Lived => {
    const steps = Float64Array.from({ length: days * 24 * perHour }, () => deviation * normal(random));
    const fired: number[] = [];
    for (let at = 2 * 24 * perHour; at + reach < steps.length; at += 1) {
      if (random() > 0.004) continue;
      fired.push(at);
      for (let after = at + 1; after <= at + reach; after += 1) steps[after] = (steps[after] ?? 0) + push;
      at += reach + perHour;
    }
    const others = Object.entries(placebos).map(([name, placebo]) => [name, placebo(steps, random)]);
    return { steps, fired: { [kind]: fired, ...Object.fromEntries(others) } };
  });
  const scores = await recordsOf(lived, (name) => (name === kind ? 'up' : 'move'));
  return scores.find((each) => each.kind === kind && each.horizon === fourHours)?.finding;
}

async function edges(markets: number): Promise<Figure[]> {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const shareWithEdge = (found: readonly Finding[]) =>
    percent(found.filter(({ verdict: says }) => says === 'more').length, found.length);
  const over = async (points: number) => {
    const found = await Promise.all(Array.from({ length: markets }, (_, seed) => withEdge(seed + 1, points)));
    return found.filter((each) => each !== undefined);
  };
  const none = await over(0);
  const shows = mean(none.map((each) => each.detectable));
  const there = await over(shows);
  return [
    { name: 'without it: told', value: shareWithEdge(none), unit: '%', bound: { most: 5 } },
    { name: 'smallest difference said to show, mean', value: 100 * shows, unit: 'points' },
    {
      name: 'of just that size: told (said: 80 %)',
      value: shareWithEdge(there),
      unit: '%',
      bound: { least: 75, most: 90 },
    },
    { name: 'half of it: told', value: shareWithEdge(await over(shows / 2)), unit: '%' },
  ];
}

/** Returns the z below which a normal variable lies with probability 0.5 + `points`, by integrating its density. */
function quantile(points: number): number {
  let z = 0;
  let area = 0;
  const step = 1e-4;
  while (area < points && z < 6) {
    area += (step * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
    z += step;
  }
  return z;
}
