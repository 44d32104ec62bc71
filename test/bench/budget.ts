import { parseArgs } from 'node:util';
import { contract } from '#src/contract/index.ts';
import { hour, minute, second } from '#src/runtime/units.ts';
import { type Age, ageOf, bestAge } from './budget/ages.ts';
import { begin, live } from './budget/live.ts';
import { publicationOf } from './budget/service.ts';
import { type Figure, none, report } from './measuring/figures.ts';

/** Market ms after which every schedule has run at least once. */
const warmUp = hour;
/** Most that an age may be, as a factor of the age with the best possible schedule. */
const bound = 1.15;

/**
 * `npm run bench -- budget -- [--symbols 100 --hours 12 --askEvery 60]`: how old the detectors' data is with no more than
 * 300 requests in 15 minutes. Everything is configured by default and runs by a clock that jumps: the detectors, one
 * own rule about the open interest of each symbol, and 20 people in 10 chats who ask a question a minute on average,
 * at random.
 *
 * The best possible schedule of a feed makes as many requests as were made, knows when newer rows are published, asks
 * for them at that moment, and skips as few publications as that number allows, evenly. So the division of requests
 * among feeds is taken as configured, and only their times are judged. Rows are published as late as the client
 * allows for (a tenth of their cadence, 15 s at most), those of Binance's `/futures/data` 4.5 minutes after their
 * stamp. A feed is what one question asks for; feeds of several symbols that are asked equally often share a figure.
 *
 * The default is twelve hours, because in three hours a feed that is asked every 25 minutes is asked seven or eight times
 * depending on its phase alone, and the best schedule of eight requests is an eighth better than that of seven.
 */
export default async function budget(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      symbols: { type: 'string', default: '100' },
      hours: { type: 'string', default: '12' },
      askEvery: { type: 'string', default: '60' },
    },
  });
  const stretch = Number(values.hours) * hour;
  const lived = await live({
    symbols: Array.from({ length: Number(values.symbols) }, (_, index) => `S${index}USDT`),
    length: warmUp + stretch,
    askEvery: Number(values.askEvery) * second,
  });
  const to = begin + warmUp + stretch;
  const from = to - stretch;
  const feeds = [...lived.looks.values()].flatMap(({ name, looks }) => {
    const requests = new Set(looks.flatMap(({ asked }) => (asked >= from ? asked : []))).size;
    // With fewer requests the result would be chance.
    if (requests < 3 || name === 'meta' || (looks[0]?.at ?? to) > from) return [];
    const every = Math.max(1, Math.round(stretch / requests / second));
    const age = ageOf(looks, { from, to });
    const best = bestAge(publicationOf(name), { requests, stretch });
    return [{ title: `${contract[name].path}, asked every ${spoken(every)}`, age, best }];
  });
  const { limit, window, reserve } = lived.budget;
  for (const which of ['mean', 'worst'] as const) {
    report(
      `budget: ${which} age of a feed; ${values.symbols} symbols, ${limit} requests in ${window / minute} min, a question every ${values.askEvery} s`,
      [...Map.groupBy(feeds, ({ title }) => title)]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([title, of]) => figure(title, which, of)),
    );
  }
  const most = (of: readonly { readonly at: number }[]) =>
    Math.max(...of.map(({ at }) => of.filter((each) => each.at > at - window && each.at <= at).length));
  report('budget: the requests', [
    {
      name: `most in any ${window / minute} min`,
      value: most(lived.asked),
      unit: '',
      bound: { most: limit },
    },
    { name: 'of them for people', value: most(lived.questions), unit: '', bound: { most: reserve } },
    { name: '429', value: lived.asked.filter(({ refused }) => refused).length, unit: '', bound: { most: 0 } },
    none('polls refused by the budget', lived.refusals.polls.filter((at) => at >= from).length),
    {
      name: 'polls refused in the hour before, from the first start on',
      value: lived.refusals.polls.filter((at) => at < from).length,
      unit: '',
    },
    { name: 'questions of people', value: lived.people.asked, unit: '' },
    none('requests of theirs refused', lived.refusals.questions.length),
    none('questions not answered', lived.people.unanswered),
  ]);
}

const spoken = (seconds: number): string =>
  seconds < 100 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;

function figure(
  title: string,
  which: keyof Age,
  of: readonly { readonly age: Age; readonly best: Age }[],
): Figure {
  const over = (values: readonly number[]) =>
    which === 'mean' ? values.reduce((sum, value) => sum + value, 0) / values.length : Math.max(...values);
  const best = over(of.map((each) => each.best[which])) / second;
  return {
    name: of.length === 1 ? title : `${title}, ${of.length} of them`,
    value: over(of.map(({ age }) => age[which])) / second,
    unit: 's',
    bound: { most: bound * best },
    baseline: { name: 'the best possible', value: best },
  };
}
