import type { Answer, Card } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { UserError } from '../language/errors.ts';
import { readerBy } from '../language/preferences.ts';
import { msg } from '../language/text.ts';
import { ApiError } from '../runtime/errors.ts';
import type { BotStatus, Command, CommandContext } from './command.ts';
import { failureCard } from './failure.ts';
import { writeLine } from './parse.ts';
import { readerOf } from './reader.ts';
import { type CommandRequest, readRequest } from './request.ts';
import { requireRight } from './rights.ts';

/** Logs a defect of the program and returns the short reference under which it is found in the log. */
export type ReportBug = (error: unknown) => string;

/**
 * Runs a command. Always returns an answer: it explains errors of the person or the data service, and gives the reference of
 * a defect.
 */
export async function runCommand(
  commands: readonly Command[],
  {
    request,
    context,
    report,
  }: {
    readonly request: CommandRequest;
    readonly context: Omit<CommandContext, 'rewriteLine'>;
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
  const readReader = () =>
    readerOf(context.caller, context.store).catch((error: unknown) => {
      report(error);
      // The answer is shown all the same, as the platform's hint says.
      const { language, timeZone } = context.caller;
      return readerBy({ language, timeZone });
    });
  const caller = { ...context.caller, ...(await readReader()) };
  const { later, ...first } = await answer(commands, {
    request,
    context: { ...context, caller },
    status,
    report,
  });
  const translateCard = async (card: Card) =>
    sayCard(
      { source: context.source(), ...card },
      // Read again, because the command may have changed these preferences.
      await readReader(),
    );
  const laterCard = later
    ?.then((card) => card && translateCard(card))
    .catch((error: unknown) => void report(error) as undefined);
  return { ...(await translateCard(first)), ...(laterCard !== undefined && { later: laterCard }) };
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
    readonly context: Omit<CommandContext, 'rewriteLine'>;
    readonly status: () => Promise<BotStatus | undefined>;
    readonly report: ReportBug;
  },
): Promise<Answer> {
  let foundCommand: Command | undefined;
  try {
    const universe = await readNameableSymbols(context);
    const { command, input, raw } = await readRequest(commands, {
      request,
      asking: { ...context, universe },
    });
    foundCommand = command;
    requireRight(command, context.caller);
    const rewriteLine: CommandContext['rewriteLine'] = (inputs) => {
      const given: Readonly<Record<string, unknown>> = { ...raw, ...inputs };
      // In the order in which the command’s usage lists them: the words were typed in any order.
      const listed = Object.keys(command.input.shape).map((key) => [key, given[key]]);
      return writeLine(command.name, Object.fromEntries(listed));
    };
    return await command.run(input, { ...context, rewriteLine });
  } catch (error) {
    if (error instanceof UserError) return refusalCard(error, foundCommand);
    const name = foundCommand?.name ?? msg('Your question');
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

/** Returns the tracked markets and those of firing alerts: an alert's buttons work even if its market is no longer tracked. */
async function readNameableSymbols({
  universe,
  store,
}: Pick<CommandContext, 'universe' | 'store'>): Promise<readonly string[]> {
  // While the list of markets is not loaded, it must stay empty: a pair named in full is then accepted as it is.
  if (universe.length === 0) return universe;
  const firingSymbols = (await store.alerts.firing()).flatMap(({ labels }) => labels.symbol ?? []);
  return [...new Set([...universe, ...firingSymbols])];
}

const refusalCard = ({ title, remedy }: UserError, asked: Command | undefined): Card => ({
  title: title ?? (asked === undefined ? msg('I didn’t understand that') : msg('Can’t do that')),
  summary: remedy,
  forAsker: true,
});
