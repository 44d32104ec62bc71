import { expect, it, onTestFinished } from 'vitest';
import { realTime, wallClock } from '#src/runtime/clock.ts';
import { second } from '#src/runtime/units.ts';
import type { Market } from '#src/service/simulation/market.ts';
import { calmMarket } from '#test/support/calm-market.ts';
import { startExchanges } from '#test/support/venues/exchanges.ts';
import { liveSettings } from '#test/support/venues/live-settings.ts';
import { telegramPeople, until } from './asking.ts';
import { startBotProcess } from './bot.ts';

/** A calm market in which the price of bitcoin can be moved. */
function movableMarket() {
  let factor = 1;
  const market: Market = {
    ...calmMarket,
    price: (symbol, time) => calmMarket.price(symbol, time) * (symbol === 'BTCUSDT' ? factor : 1),
    mark(symbol, time) {
      const { markPrice, ...mark } = calmMarket.mark(symbol, time);
      return { ...mark, markPrice: markPrice * (symbol === 'BTCUSDT' ? factor : 1) };
    },
  };
  return {
    market,
    moveTo(next: number) {
      factor = next;
      return performance.now();
    },
  };
}

it('a spike of seconds at the exchange is in the chat within seconds, once, and its end too', async () => {
  const { market, moveTo } = movableMarket();
  const played = await startExchanges({ market, clock: realTime(wallClock) });
  onTestFinished(() => played.close());
  const live = liveSettings(played.urls);
  const config = {
    data: { venue: 'binance', venues: 'none', embedded: { market: 'live', symbols: 3, live } },
  };
  await using bot = await startBotProcess({ config });
  const people = telegramPeople(bot);
  const level = calmMarket.price('BTCUSDT', Date.now()) * 1.02;
  const chat = 7_001;
  bot.telegram.chat({ id: chat });
  await people.say(`/alert create price.last above=${level.toFixed(0)} btc`, { id: chat });
  const alerts = () => bot.telegram.texts(chat).filter((text) => /BTC price/.test(text));
  const created = alerts().length;
  await wallClock.sleep(3 * second);
  const movedAt = moveTo(1.03);
  await until('the alert', () => alerts().length > created);
  // Marks are collected every five minutes and asked for every minute: only the stream is this quick, on a slow machine too.
  expect(performance.now() - movedAt).toBeLessThan(30 * second);
  moveTo(1);
  const told = () => bot.telegram.messages.filter(({ chat: { id } }) => id === chat);
  await until('its end', () => told().some(({ text = '' }) => /Resolved|Ended|✅/.test(text)));
  expect(alerts().length).toBeLessThanOrEqual(created + 1);
  expect(bot.defects()).toEqual([]);
}, 600_000);
