import { setTimeout as delay } from 'node:timers/promises';
import { startWholeBot } from './commands/bot.ts';
import { report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';
import { type DoubleProcess, forkDouble } from './telegram/ask-double.ts';
import type { Arrivals } from './telegram/double.ts';

/** It takes two minutes. */
export const slow = true;

const groups = Array.from({ length: 50 }, (_, n) => -1_001 - n);
/** What each member asks, one after the other, whether it was answered or not. */
const lines = ['funding btc', 'coin eth', 'market', 'oi sol', 'regime', 'liquidations', 'compare btc eth'];
/** Wall ms: as fast as a person can, and as Telegram lets them. */
const askEvery = 1_000;
const alerts = 6;
const alertEvery = 10_000;
/** Messages a second that Telegram takes in all. */
const perSecond = 30;

/**
 * `npm run bench -- hostile`: the whole bot on the strict double at the real limits, one member of each of 50 groups
 * asking without end, and alerts to all of the groups meanwhile.
 */
export default async function hostile(): Promise<void> {
  await inFolder(async (folder) => {
    const double = await forkDouble('limited');
    const bot = await startWholeBot({ folder, telegram: double.url, audience: groups, chosen: new Map() });
    const asking = new AbortController();
    try {
      while (!(await fetch(`${bot.page}/readyz`)).ok) await delay(500);
      const asked = ask(double, asking.signal);
      // Their first minute is spent before the first alert comes.
      await delay(alertEvery);
      for (let n = 0; n < alerts; n++) {
        bot.broadcast();
        await delay(alertEvery);
      }
      asking.abort();
      const questions = await asked;
      tell(await double.ask({ kind: 'report' }), bot.begun, { questions, ...(await sight(bot.page)) });
    } finally {
      asking.abort();
      await bot.close();
      double.close();
    }
  });
}

async function ask(double: DoubleProcess, signal: AbortSignal): Promise<number> {
  let asked = 0;
  for (let round = 0; !signal.aborted; round++) {
    const next = delay(askEvery);
    for (const [n, chatId] of groups.entries()) {
      const text = `/${lines[(round + n) % lines.length]}`;
      await double.ask({ kind: 'say', chatId, text });
      asked += 1;
    }
    await next;
  }
  return asked;
}

/** What the detectors see in the end, and who was said to be blind on the way. */
async function sight(page: string): Promise<{ readonly failing: number; readonly blind: number }> {
  const read = async (path: string) => (await fetch(`${page}${path}`)).json();
  const { detectors } = (await read('/api/status')) as { detectors: { problem: unknown }[] };
  const listed = (await read('/api/alerts')) as { labels: { kind: string } }[];
  return {
    failing: detectors.filter(({ problem }) => problem !== null).length,
    blind: listed.filter(({ labels }) => labels.kind === 'data-blind').length,
  };
}

function tell(
  { messages, refused }: Arrivals,
  begun: readonly number[],
  { questions, failing, blind }: { questions: number; failing: number; blind: number },
): void {
  const ideal = groups.length / perSecond;
  const broadcasts = begun.map((at, n) => {
    const arrived = messages.filter(({ title }) => title.includes(`A broadcast ${n + 1}<`));
    return { lost: groups.length - arrived.length, last: Math.max(...arrived.map((each) => each.at)) - at };
  });
  const answers = messages.filter(({ title }) => !title.includes('A broadcast')).length;
  const worst = Math.max(...broadcasts.map(({ last }) => last)) / 1_000;
  report(`hostile: ${groups.length} groups, one member of each asks every second; ${alerts} alerts to all`, [
    {
      name: 'an alert to its last group, worst',
      value: worst,
      unit: 's',
      bound: { most: 2 * ideal },
      baseline: { name: `the ideal, ${perSecond} a second`, value: ideal },
    },
    { name: 'alerts begun', value: begun.length, unit: '', bound: { least: alerts } },
    {
      name: 'lost or twice',
      value: broadcasts.reduce((sum, { lost }) => sum + Math.abs(lost), 0),
      unit: 'messages',
      bound: { most: 0 },
    },
    { name: 'detectors that see nothing', value: failing, unit: '', bound: { most: 0 } },
    { name: 'said to be blind', value: blind, unit: '', bound: { most: 0 } },
    { name: '429', value: refused, unit: '', bound: { most: 0 } },
    { name: 'questions', value: questions, unit: '' },
    { name: 'answers', value: answers, unit: '' },
    load(),
  ]);
}
