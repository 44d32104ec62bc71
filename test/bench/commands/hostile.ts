import { setTimeout as delay } from 'node:timers/promises';
import { openDouble } from '../discord/broadcast.ts';
import { type Figure, none, report } from '../measuring/figures.ts';
import { inFolder, load } from '../measuring/program.ts';
import { forkDouble } from '../telegram/ask-double.ts';
import { startWholeBot } from './bot.ts';

const groups = Array.from({ length: 50 }, (_, n) => -1_001 - n);
/** Questions that each member asks one after the other, whether or not they are answered. */
const lines = ['funding btc', 'coin eth', 'market', 'oi sol', 'regime', 'liquidations', 'compare btc eth'];
const slashes = ['market', 'regime', 'liquidations', 'macro', 'options', 'help', 'status'];
/** Wall ms between two questions of one member, which is as fast as a person can ask and the platforms allow. */
const askEvery = 1_000;
const alerts = 6;
const alertEvery = 10_000;
/** Messages a second that each platform takes in total. */
const perSecond = { telegram: 30, discord: 50 };

/** Messages that arrived at a platform, with their title and time, ms since the epoch. */
type Posts = readonly { readonly title: string; readonly at: number }[];

/**
 * `npm run bench -- commands -- hostile`: runs the whole bot with both strict doubles at the real limits, while one member of each of
 * 50 groups and 50 channels asks without pause, and alerts go to all of them.
 */
export default async function hostile(): Promise<void> {
  await inFolder(async (folder) => {
    const telegram = await forkDouble('limited');
    const discord = await openDouble({ channels: groups.length, limited: true });
    const bot = await startWholeBot({ folder, telegram: telegram.url, audience: groups, discord });
    const asking = new AbortController();
    try {
      while (!(await fetch(`${bot.page}/readyz`)).ok) await delay(500);
      const asked = insist(asking.signal, async (round) => {
        discord.insist(slashes[round % slashes.length] as string);
        for (const [n, chatId] of groups.entries())
          await telegram.ask({ kind: 'say', chatId, text: `/${lines[(round + n) % lines.length]}` });
      });
      // The members have used up their questions of the first minute before the first alert comes.
      await delay(alertEvery);
      for (let n = 0; n < alerts; n++) {
        bot.broadcast();
        await delay(alertEvery);
      }
      asking.abort();
      const rounds = await asked;
      const [chats, channels] = [await telegram.ask({ kind: 'report' }), await discord.count()];
      const counts = { telegram: chats.refused, discord: channels.statuses[429] ?? 0 };
      report(
        `hostile: 50 groups and 50 channels, one member of each asks every second; ${alerts} alerts to all`,
        [
          ...arrivals('telegram', chats.messages, bot.begun),
          ...arrivals('discord', channels.posts, bot.begun),
          ...(await sight(bot.page)),
          none('429, Telegram', counts.telegram),
          none('429, Discord', counts.discord),
          { name: 'questions', value: 2 * rounds * groups.length, unit: '' },
          load(),
        ],
      );
    } finally {
      asking.abort();
      await bot.close();
      telegram.close();
      discord.close();
    }
  });
}

/** Asks a round of questions every second. Returns the number of rounds. */
async function insist(signal: AbortSignal, ask: (round: number) => Promise<void>): Promise<number> {
  let round = 0;
  for (; !signal.aborted; round++) {
    const next = delay(askEvery);
    await ask(round);
    await next;
  }
  return round;
}

/** Counts the detectors without data at the end, and the alerts about detectors without data on the way. */
async function sight(page: string): Promise<Figure[]> {
  const read = async (path: string) => (await fetch(`${page}${path}`)).json();
  const { detectors } = (await read('/api/status')) as { detectors: { problem: unknown }[] };
  const listed = (await read('/api/alerts')) as { labels: { kind: string } }[];
  const failing = detectors.filter(({ problem }) => problem !== null).length;
  const blind = listed.filter(({ labels }) => labels.kind === 'data-blind').length;
  return [none('detectors that see nothing', failing), none('said to be blind', blind)];
}

function arrivals(platform: keyof typeof perSecond, posts: Posts, begun: readonly number[]): Figure[] {
  const ideal = groups.length / perSecond[platform];
  const broadcasts = begun.map((at, n) => {
    const arrived = posts.filter(({ title }) => new RegExp(`A broadcast ${n + 1}\\b`).test(title));
    return { lost: groups.length - arrived.length, last: Math.max(...arrived.map((each) => each.at)) - at };
  });
  const name = platform === 'telegram' ? 'Telegram' : 'Discord';
  return [
    {
      name: `${name}: an alert to the last of the 50, worst`,
      value: Math.max(...broadcasts.map(({ last }) => last)) / 1_000,
      unit: 's',
      bound: { most: 2 * ideal },
      baseline: { name: `the ideal, ${perSecond[platform]} a second`, value: ideal },
    },
    { name: '  alerts begun', value: begun.length, unit: '', bound: { least: alerts } },
    none(
      '  lost or twice',
      broadcasts.reduce((sum, { lost }) => sum + Math.abs(lost), 0),
      'messages',
    ),
    {
      name: '  answers',
      value: posts.filter(({ title }) => !title.includes('A broadcast')).length,
      unit: '',
    },
  ];
}
