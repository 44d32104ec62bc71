import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Broadcast,
  broadcast,
  type Double,
  discordJs,
  freshPace,
  openDouble,
  talk,
} from './discord/broadcast.ts';
import { none, report } from './measuring/figures.ts';
import { load } from './measuring/program.ts';

/** Discord's global limit of requests per second. */
const perSecond = 50;

/** `npm run bench -- discord`: an alert to many channels of a strict double, compared with discord.js' own queue. */
export default async function discord(): Promise<void> {
  await many();
  await held();
}

const refusals = async (double: Double) => (await double.count()).statuses[429] ?? 0;

async function many(): Promise<void> {
  const [channels, twice] = [2_000, 40];
  const double = await openDouble({ channels, limited: true });
  const pace = freshPace();
  const platform = await talk(double);
  const answers: number[] = [];
  const { took } = await broadcast(double, { pace, twice }, async () => {
    for (let question = 0; question < 10; question++) {
      await sleep(2_000);
      answers.push(await double.ask('market'));
    }
  });
  const { messages, statuses, titles } = await double.count();
  await platform.close();
  double.close();
  const ideal = ((channels + twice) / perSecond) * 1_000;
  report('discord: 2,000 channels, 40 of them twice, real limits', [
    {
      name: 'all delivered',
      value: took / 1_000,
      unit: 's',
      bound: { most: (1.1 * ideal) / 1_000 },
      baseline: { name: `the ideal, ${perSecond} a second`, value: ideal / 1_000 },
    },
    none('refused for pace', statuses[429] ?? 0, '429s'),
    none('lost or doubled', Math.abs(messages - channels - twice), 'messages'),
    none('channels out of order', titles.filter((each) => each.join() !== 'first,second').length, 'channels'),
    {
      name: 'a command in the middle answered, worst',
      value: Math.max(...answers),
      unit: 'ms',
      bound: { most: 300 },
    },
    load(),
  ]);
}

async function held(): Promise<void> {
  const channels = 300;
  const ideal = (channels / perSecond) * 1_000;
  const wait = 5_000;
  const run = async (send: (double: Double) => Promise<Broadcast>, hold: boolean) => {
    const double = await openDouble({ channels, limited: true });
    const holding = double.channelIds.filter((_, index) => hold && index % 10 === 5);
    if (hold) double.hold(holding);
    const { took, startedAt } = await send(double);
    const { last, messages } = await double.count();
    const others = last.filter((_, index) => !holding.includes(double.channelIds[index] ?? ''));
    const refused = (await refusals(double)) - holding.length;
    double.close();
    return { took, others: Math.max(...others) - startedAt, messages, refused };
  };
  const ours = (double: Double) => broadcast(double, { pace: freshPace() });
  const [clean, faulty] = [await run(ours, false), await run(ours, true)];
  const [theirs, theirsFaulty] = [await run(discordJs, false), await run(discordJs, true)];
  report('discord: 300 channels, and 10 % of them held by a 429 of 5 s', [
    {
      name: 'clean',
      value: clean.took / 1_000,
      unit: 's',
      bound: { most: (1.1 * ideal) / 1_000 },
      baseline: { name: 'discord.js', value: theirs.took / 1_000 },
    },
    none('clean, refused for pace', clean.refused, '429s'),
    {
      name: 'held: the others',
      value: faulty.others / 1_000,
      unit: 's',
      bound: { most: (1.2 * ideal) / 1_000 },
      baseline: { name: 'discord.js', value: theirsFaulty.others / 1_000 },
    },
    {
      name: 'held: all',
      value: faulty.took / 1_000,
      unit: 's',
      bound: { most: (1.2 * ideal + wait) / 1_000 },
      baseline: { name: 'discord.js', value: theirsFaulty.took / 1_000 },
    },
    none('held: lost or doubled', Math.abs(faulty.messages - channels), 'messages'),
    { name: 'discord.js, clean, refused for pace', value: theirs.refused, unit: '429s' },
    load(),
  ]);
}
