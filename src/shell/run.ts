import type { Answer, Card } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { sourceLine } from '../card/source.ts';
import { UserError } from '../language/errors.ts';
import { msg } from '../language/text.ts';
import { ApiError } from '../runtime/errors.ts';
import type { BotStatus, Command, CommandContext } from './command.ts';
import { failureCard } from './failure.ts';
import { writeLine } from './parse.ts';
import { readerOf } from './reader.ts';
import { type CommandRequest, readRequest } from './request.ts';
import { mustBeAllowed } from './rights.ts';

/** Logs an error that is nobody's turn but ours, and gives the short reference under which it is found. */
export type ReportBug = (error: unknown) => string;

/** Always an answer: what a person or the data service did wrong is said in it, a bug by its reference. */
export async function runCommand(
  commands: readonly Command[],
  {
    request,
    context,
    report,
  }: {
    readonly request: CommandRequest;
    readonly context: Omit<CommandContext, 'again'>;
    readonly report: ReportBug;
  },
): Promise<Answer<string>> {
  const status = async (): Promise<BotStatus | undefined> => {
    try {
      return await context.status();
    } catch (error) {
      report(error);
      return undefined;
    }
  };
  const { store } = context;
  const caller = { ...context.caller, ...(await readerOf(context.caller, store)) };
  const { later, ...first } = await answer(commands, {
    request,
    context: { ...context, caller },
    status,
    report,
  });
  const said = async (card: Card) => {
    const about = card.source === undefined ? await status() : undefined;
    return sayCard(
      about === undefined ? card : { ...card, source: sourceLine(about) },
      // Asked anew: the command may have been about just that.
      await readerOf(context.caller, store),
    );
  };
  const completed = later
    ?.then((card) => card && said(card))
    .catch((error: unknown) => void report(error) as undefined);
  return { ...(await said(first)), ...(completed !== undefined && { later: completed }) };
}

async function answer(
  commands: readonly Command[],
  {
    request,
    context,
    status,
    report,
  }: {
    readonly request: CommandRequest;
    readonly context: Omit<CommandContext, 'again'>;
    readonly status: () => Promise<BotStatus | undefined>;
    readonly report: ReportBug;
  },
): Promise<Answer> {
  let asked: Command | undefined;
  try {
    const universe = await nameable(context);
    const { command, input, raw } = await readRequest(commands, {
      request,
      asking: { ...context, universe },
    });
    asked = command;
    mustBeAllowed(command, context.caller);
    const again: CommandContext['again'] = (inputs) => writeLine(command.name, { ...raw, ...inputs });
    return await command.run(input, { ...context, again });
  } catch (error) {
    if (error instanceof UserError) return refusal(error, asked);
    const name = asked?.name ?? msg('Your question');
    if (error instanceof ApiError)
      return { ...failureCard(name, { error, status: await status() }), forAsker: true };
    if (context.signal.aborted) {
      return {
        title: msg('{name}: no answer in time', { name }),
        summary: msg('It timed out. Ask again.'),
        forAsker: true,
      };
    }
    return {
      title: msg('{name}: something broke', { name }),
      summary: msg(
        'It is in the log as {reference}: if it happens again, give the operator this reference.',
        { reference: report(error) },
      ),
      forAsker: true,
    };
  }
}

/** Tracked markets, and those that are no more but have an alert that goes on: its buttons work until it ends. */
async function nameable({
  universe,
  store,
}: Pick<CommandContext, 'universe' | 'store'>): Promise<readonly string[]> {
  // Where the list is not here yet, a pair named in full is taken as it is.
  if (universe.length === 0) return universe;
  const open = (await store.alerts.firing()).flatMap(({ labels }) => labels.symbol ?? []);
  return [...new Set([...universe, ...open])];
}

const refusal = ({ title, remedy }: UserError, asked: Command | undefined): Card => ({
  title: title ?? (asked === undefined ? msg('I didn’t understand that') : msg('Can’t do that')),
  summary: remedy,
  forAsker: true,
});
