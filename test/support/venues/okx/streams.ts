import { z } from 'zod';
import { second } from '#src/runtime/units.ts';
import {
  createLiquidationReader,
  parsed,
  type SimulatedSocketsOptions,
  type Sockets,
  startSockets,
} from '../sockets.ts';
import { instruments, swapsOf } from './swaps.ts';

const request = z.object({
  op: z.enum(['subscribe', 'unsubscribe']),
  args: z.array(z.object({ channel: z.string(), instType: z.string().optional() })).min(1),
});
const channels: readonly string[] = ['instruments', 'liquidation-orders'];
/** Wall ms without a message from the subscriber after which its socket is closed. */
const maxSilence = 30 * second;

/** Simulates OKX's public WebSocket: sends the liquidations of perpetuals. No simulated perpetual changes its size. */
export function startOkxStreams({
  market,
  now,
  fault,
  listsInstruments = false,
}: SimulatedSocketsOptions): Sockets {
  const swaps = swapsOf(market);
  const bySymbol = new Map([...swaps.values()].map((swap) => [swap.instrument.symbol, swap]));
  const readLiquidations = createLiquidationReader({ market, now });

  return startSockets({
    fault,
    sendEvents(subscribers) {
      const wanted = subscribers.some((subscriber) => subscriber.topics.has('liquidation-orders'));
      const liquidations = readLiquidations(wanted);
      for (const subscriber of subscribers) {
        if (subscriber.msSinceReceived() > maxSilence) subscriber.close('no ping');
        if (!subscriber.topics.has('liquidation-orders')) continue;
        for (const { symbol, time, side, price, quantity } of liquidations) {
          const swap = bySymbol.get(symbol);
          if (swap === undefined) continue;
          const { name, coins, contract } = swap;
          const family = name.replace(/-SWAP$/, '');
          const details = [
            {
              bkLoss: '0',
              bkPx: String(price / coins),
              ccy: '',
              posSide: side === 'LONG' ? 'long' : 'short',
              side: side === 'LONG' ? 'sell' : 'buy',
              sz: String((quantity * coins) / contract),
              ts: String(time),
            },
          ];
          subscriber.send({
            arg: { channel: 'liquidation-orders', instType: 'SWAP' },
            data: [{ details, instFamily: family, instId: name, instType: 'SWAP', uly: family }],
          });
        }
      }
    },
    onMessage(subscriber, text) {
      if (text === 'ping') return subscriber.send('pong');
      const asked = request.safeParse(parsed(text));
      if (!asked.success) {
        return subscriber.send({ event: 'error', code: '60012', msg: `Invalid request: ${text}` });
      }
      for (const arg of asked.data.args) {
        const { channel, instType } = arg;
        if (!channels.includes(channel) || instType !== 'SWAP') {
          const msg = `Wrong URL or channel:${channel},instType:${instType} doesn't exist.`;
          subscriber.send({ event: 'error', code: '60018', msg });
          continue;
        }
        subscriber.send({ event: asked.data.op, arg, connId: 'simulated' });
        if (asked.data.op === 'unsubscribe') subscriber.topics.delete(channel);
        else {
          subscriber.topics.add(channel);
          if (channel === 'instruments' && listsInstruments)
            subscriber.send({ arg, data: instruments(swaps.values()) });
        }
      }
    },
  });
}
