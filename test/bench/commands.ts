import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startWholeBot } from './commands/bot.ts';
import { type Figure, none, percentile, report } from './measuring/figures.ts';
import { inFolder, load } from './measuring/program.ts';
import { type DoubleProcess, forkDouble } from './telegram/ask-double.ts';
import { plainAnswers } from './telegram/others.ts';

/** A broadcast at Telegram's real limits takes a hundred seconds. */
export const slow = true;

/** Commands that are asked, with a picture if the command has one. */
const lines = [
  'regime',
  'market',
  'coin btc',
  'funding btc',
  'oi btc',
  'liquidations window=24h',
  'basis btc',
  'cvd btc',
  'ratio btc',
  'spread btc',
  'options btc',
  'macro',
  'quality',
  'compare btc eth sol',
  'history window=7d',
  'scorecard',
  'missed',
  'why',
  'status',
  'settings',
  'subscriptions',
  'alert list',
  'help',
] as const;

/** Wall ms between two questions, whether or not the last one has been answered. */
const askEvery = 300;
const bounds = { text: 150, picture: 400 } as const;
/** Lowest id of the askers, who get no broadcast. Each asks once, because a chat takes one message a second. */
const asker = 1_000_000;
const zones = Intl.supportedValuesOf('timeZone');

const now = () => performance.timeOrigin + performance.now();

interface Asked {
  readonly line: string;
  readonly at: number;
}

/**
 * `npm run bench -- commands -- [--chats 3000]`: the time from a question in Telegram to its answer, for every command
 * that asks for data, while an alert goes out to 3,000 chats at the real limits. The data is in the client's cache. The
 * pictures are drawn anew: each round asks from another time zone, and every other round has light charts.
 */
export default async function commands(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { chats: { type: 'string', default: '3000' } } });
  const chats = Number(values.chats);
  const questions = Math.ceil(((chats / 25) * 1_000) / askEvery);
  const chosen = new Map(
    Array.from({ length: questions }, (_, n) => {
      const round = Math.floor(n / lines.length);
      return [
        asker + n,
        { timeZone: zones[round % zones.length] ?? 'UTC', theme: round % 2 === 0 ? 'dark' : 'light' },
      ] as const;
    }),
  );
  await inFolder(async (folder) => {
    const double = await forkDouble('limited');
    const bot = await startWholeBot({
      folder,
      telegram: double.url,
      chosen,
      audience: Array.from({ length: chats }, (_, n) => n + 1),
    });
    try {
      const cold = await warmUp(double, bot.page);
      bot.broadcast();
      await measure(double, { chats, questions, cold });
    } finally {
      await bot.close();
      double.close();
    }
  });
}

/** Waits until the service has its whole past, and asks every command once. @returns ms until the first picture */
async function warmUp(double: DoubleProcess, page: string): Promise<number> {
  for (let asking = true; asking; await delay(500)) {
    const status = await fetch(`${page}/readyz`);
    asking = !status.ok;
  }
  const warmer = 2 * asker;
  let cold = Number.NaN;
  for (const [n, line] of lines.entries()) {
    const asked = now();
    const { sent } = await double.ask({ kind: 'progress' });
    await double.ask({ kind: 'say', chatId: warmer + n, text: `/${line}` });
    await double.settled(sent + 1);
    if (n === 0) cold = now() - asked;
  }
  return cold;
}

async function measure(
  double: DoubleProcess,
  { chats, questions, cold }: { chats: number; questions: number; cold: number },
): Promise<void> {
  const asked = new Map<string, Asked>();
  for (let n = 0; n < questions; n++) {
    const line = lines[n % lines.length] ?? '';
    asked.set(String(asker + n), { line, at: now() });
    const next = delay(askEvery);
    await double.ask({ kind: 'say', chatId: asker + n, text: `/${line}` });
    await next;
  }
  let arrivals = await double.settled(chats);
  const arrived = () => arrivals.messages.filter(({ chatId }) => Number(chatId) < asker);
  while (arrived().length < chats) {
    const { sent } = arrivals;
    arrivals = await double.settled(sent + 1);
    if (arrivals.sent === sent) break;
  }
  const waits = new Map<string, number[]>(lines.map((line) => [line, []]));
  const drawn = new Set<string>();
  for (const { chatId, at, photo } of arrivals.messages) {
    const question = asked.get(chatId);
    if (question === undefined) continue;
    waits.get(question.line)?.push(at - question.at);
    if (photo) drawn.add(question.line);
  }
  const answered = [...waits.values()].flat();
  const figures = (group: readonly string[], most: number): Figure[] =>
    group.flatMap((line): Figure[] => {
      const of = waits.get(line) ?? [];
      return [
        { name: `${line}: median`, value: percentile(of, 0.5), unit: 'ms' },
        {
          name: `${line}: 99 % (n = ${of.length})`,
          value: percentile(of, 0.99),
          unit: 'ms',
          bound: { most },
        },
      ];
    });
  const all = (group: readonly string[]) => group.flatMap((line) => waits.get(line) ?? []);
  const [pictures, texts] = [
    lines.filter((line) => drawn.has(line)),
    lines.filter((line) => !drawn.has(line)),
  ];
  const baseline = (await plainAnswers())(0.99);
  const title = `commands, while ${chats.toLocaleString('en-US')} chats are told`;
  report(`${title}: with a picture`, figures(pictures, bounds.picture));
  report(`${title}: without`, figures(texts, bounds.text));
  report(`${title}: in all`, [
    { name: 'with a picture, 99 %', value: percentile(all(pictures), 0.99), unit: 'ms', baseline },
    { name: 'without, 99 %', value: percentile(all(texts), 0.99), unit: 'ms', baseline },
    { name: 'the first picture, asked as soon as it is ready', value: cold, unit: 'ms' },
    none('questions unanswered', asked.size - answered.length),
    none('chats not told', chats - arrived().length),
    none('429', arrivals.refused),
    load(),
  ]);
}
