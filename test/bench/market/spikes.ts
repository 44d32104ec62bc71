import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { minute, second } from '#src/runtime/units.ts';
import { syntheticMarket } from '#src/service/simulation/synthetic.ts';
import { openStore } from '#src/store/open.ts';
import { rule } from '#test/support/rules.ts';
import { startTelegramDouble } from '#test/support/telegram/double.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import { liveSettings } from '#test/support/venues/live-settings.ts';
import { none, percentile, report } from '../measuring/figures.ts';
import { eventually, freePort, inFolder, load, startProgram } from '../measuring/program.ts';

const alerts = 10_000;
const spikeTime = 20 * second;
/** Between the begins of two spikes. */
const pause = second / 4;
/** A spike rises or falls by so much; the nearest alert of its market lies half as far. */
const height = 0.04;

/** A quiet market of 600, in which the price of each can be moved. */
function movableMarket() {
  const market = { ...syntheticMarket({ seed: 7 }), outages: () => [] };
  const begin = Date.now();
  const factors = new Map<string, number>();
  const first = new Map(market.instruments.map(({ symbol }) => [symbol, market.price(symbol, begin)]));
  /** A tenth of the market's own moves since the begin, so that nothing but a spike crosses a level. */
  const ratio = (symbol: string, time: number) =>
    time < begin
      ? 1
      : (market.price(symbol, time) / (first.get(symbol) ?? 1)) ** -0.9 * (factors.get(symbol) ?? 1);
  return {
    market: {
      ...market,
      price: (symbol: string, time: number) => market.price(symbol, time) * ratio(symbol, time),
      mark(symbol: string, time: number) {
        const { markPrice, ...mark } = market.mark(symbol, time);
        return { ...mark, markPrice: markPrice * ratio(symbol, time) };
      },
    },
    first,
    move: (symbol: string, factor: number) => void factors.set(symbol, factor),
  };
}

/** Alerts of one chat each: the first ones a spike makes true, a market's second one by a fall; the others lie far away. */
function alertsOf(prices: ReadonlyMap<string, number>, spikes: number) {
  const markets = [...prices];
  return Array.from({ length: alerts }, (_, index) => {
    const [symbol, price] = markets[index % markets.length] as [string, number];
    const round = Math.floor(index / markets.length);
    const side = round % 2 === 0 ? 1 : -1;
    const distance = index < spikes ? height / 2 : 0.2 + round / 100;
    const level = (price * (1 + side * distance)).toPrecision(7);
    return {
      symbol,
      factor: 1 + side * height,
      rule: rule({
        receiver: { notifier: 'telegram', address: { chatId: String(index + 1) } },
        condition: `price.last ${side > 0 ? '>' : '<'} ${Number(level)}`,
        symbols: [symbol],
      }),
    };
  });
}

/** Spikes of 20 s at an exchange’s stand-in, and when each is in the chat of whom it concerns: the program that people start. */
export async function spikes(count: number): Promise<void> {
  const { market, first, move } = movableMarket();
  const exchanges = await startExchanges({ market, clock: realTime(wallClock), limited: true });
  const telegram = await startTelegramDouble({ openDoor: true });
  const planned = alertsOf(first, count);
  await inFolder(async (folder) => {
    const database = `file:${join(folder, 'tocsin.db')}`;
    const store = await openStore(database);
    for (const each of planned) await store.rules.add(each.rule);
    await store.close();
    const live = liveSettings(exchanges.urls);
    const config = {
      data: { venue: 'binance', venues: 'none', embedded: { market: 'live', symbols: 100, live } },
    };
    await writeFile(join(folder, 'config.yaml'), stringify(config));
    const program = startProgram(['start'], {
      TOCSIN_CONFIG: join(folder, 'config.yaml'),
      TOCSIN_DATABASE_URL: database,
      TOCSIN_ARCHIVE_URL: `file:${join(folder, 'archive.db')}`,
      TOCSIN_HTTP_PORT: String(await freePort()),
      TELEGRAM_TOKEN: telegram.token,
      TELEGRAM_API_URL: telegram.url,
    });
    try {
      const watches = async () => program.output().includes('watching the market') || undefined;
      await eventually('the market', watches, { within: 5 * minute, program });
      // The alerts are first judged, silently, by the prices of now.
      await wallClock.sleep(minute);
      const begun: number[] = [];
      for (const { symbol, factor } of planned.slice(0, count)) {
        begun.push(performance.now());
        move(symbol, factor);
        setTimeout(move, spikeTime, symbol, 1);
        await wallClock.sleep(pause);
      }
      await wallClock.sleep(2 * spikeTime);
      const told = telegram.calls.filter(
        ({ method, code }) => /^send(Message|Photo)$/.test(method) && code === 200,
      );
      const byChat = Map.groupBy(told, ({ fields }) => Number(fields.chat_id));
      const chats = begun.map((at, index) => ({ at, messages: byChat.get(index + 1) ?? [] }));
      const waits = chats.flatMap(({ at, messages: [message] }) => (message ? message.at - at : []));
      const inTime = (wait: number) => wait < spikeTime;
      report(
        `market: ${count} spikes of 20 s, 600 markets, ${alerts.toLocaleString('en-US')} own price alerts`,
        [
          {
            name: 'from the print to the platform, p50',
            value: percentile(waits, 0.5),
            unit: 'ms',
            bound: { most: 1.5 * second },
          },
          { name: 'p99', value: percentile(waits, 0.99), unit: 'ms', bound: { most: 4 * second } },
          { name: 'the slowest', value: Math.max(...waits), unit: 'ms' },
          {
            name: 'told, of the spikes',
            value: waits.filter(inTime).length / count,
            unit: '',
            bound: { least: 0.99 },
          },
          none('twice', chats.filter(({ messages }) => messages.length > 1).length),
          none('invented', [...byChat.keys()].filter((chat) => chat > count).length),
          none('429', telegram.refusals(429)),
          load(),
        ],
      );
    } finally {
      await program.stop();
    }
  });
  await exchanges.close();
  await telegram.close();
}
