import { z } from 'zod';
import type { Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { listOf, msg, typed } from '../language/text.ts';
import { boardText, createBoard } from '../places/boards.ts';
import { lengths } from '../places/limits.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { localTime, zone } from '../shell/input.ts';
import { runCommand } from '../shell/run.ts';
import { commandNamed } from '../shell/vocabulary.ts';

export default defineCommand({
  name: 'pin',
  topic: 'alerts',
  otherNames: ['board'],
  description: msg('Keep an answer current here in one message, or in the channel’s topic or name'),
  takes: 'manage',
  shorthand: (words) => {
    const free = words.filter(({ key }) => key === undefined);
    const what = free.map(({ text }) => text).join(' ');
    return free.length === 0
      ? words
      : [{ key: 'what', text: what }, ...words.filter(({ key }) => key !== undefined)];
  },
  input: z.object({
    what: z
      .string()
      .trim()
      .min(1)
      .max(lengths.boardLine)
      .meta({ offers: ['market', 'funding top20', 'regime', 'ticker btc eth', 'brief'] })
      .describe('A question (e.g. market, funding top20, regime or ticker btc eth)')
      .optional(),
    where: z
      .enum(['message', 'topic', 'name'])
      .default('message')
      .describe('A message, or the channel’s topic or name'),
    at: localTime.describe('As a new message each day at this local time, e.g. 08:00').optional(),
    zone: zone
      .transform((name) => name ?? undefined)
      .meta({ names: 'zone' })
      .describe('Time zone of that time (default: yours)')
      .optional(),
  }),
  async run({ what, where, at, zone: named }, context) {
    if (what === undefined) return listCard(context);
    const line = what.replace(/^\//, '');
    requireMarketQuestion(line, context);
    if (where !== 'message' && context.labels !== true)
      throw new UserError(
        msg('Only a channel whose platform lets a bot change its topic and name can show a board there.'),
      );
    const answer = await runCommand(context.commands, {
      request: line,
      context,
      report: (error) => {
        throw error;
      },
    });
    if (answer.failure !== undefined) return answer;
    const daily = at === undefined ? null : { at, timeZone: named ?? context.caller.timeZone };
    const form = daily !== null && where === 'message' ? 'brief' : where;
    const { board: _, ...done } = await createBoard({ line, form, daily }, editingOf(context));
    return { ...done, actions: [{ label: msg('All boards'), command: 'pin' }] };
  },
});

/** Only a question about the market has an answer that changes with it and is for everyone. @throws UserError */
function requireMarketQuestion(line: string, { commands }: Pick<CommandContext, 'commands'>): void {
  const word = line.split(/\s/)[0] ?? '';
  const command = commandNamed(word, commands);
  if (
    command !== undefined &&
    command.topic === undefined &&
    command.takes === undefined &&
    !command.personal
  )
    return;
  throw new UserError(
    msg('A board shows the answer to a question about the market, such as {examples}.', {
      examples: listOf(['market', 'funding top20', 'regime', 'ticker btc eth']),
    }),
    { title: msg('"{line}" cannot be pinned', { line }) },
  );
}

async function listCard({ store, caller }: Pick<CommandContext, 'store' | 'caller'>): Promise<Card> {
  const boards = await store.boards.of(caller.receiver);
  return {
    title: msg('{count, plural, =0 {Nothing is pinned here} one {# board} other {# boards}}', {
      count: boards.length,
    }),
    summary:
      boards.length === 0
        ? msg('"{pin}" keeps an answer current here.', { pin: typed('pin market', 'pin what:market') })
        : undefined,
    table: {
      columns: [msg('Id'), msg('Shows')],
      rows: boards.map((board) => [board.id, boardText(board)]),
    },
    actions: boards.map(({ id }) => ({
      label: msg('End {id}', { id }),
      command: `unpin ${id}`,
      weight: 'danger',
    })),
  };
}
