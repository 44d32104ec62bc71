import { kindFacts } from '../alert/market-kind.ts';
import { isGroup } from '../alert/symbols.ts';
import { type Answer, type Card, changeBoth } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { UserError } from '../language/errors.ts';
import { readerBy } from '../language/preferences.ts';
import { lines, msg, type Text } from '../language/text.ts';
import { ApiError, DatabaseAway, DatabaseLost } from '../runtime/errors.ts';
import type { CommandStore } from '../store/ports.ts';
import type { Command, CommandContext } from './command.ts';
import { failureCard, failureOf } from './failure.ts';
import { fieldsOf } from './fields.ts';
import { writeLine } from './parse.ts';
import { readerOf } from './reader.ts';
import { type CommandRequest, readRequest } from './request.ts';
import { requireRight } from './rights.ts';

/** Logs a defect of the program and returns the short reference under which it is found in the log. */
type ReportBug = (error: unknown) => string;

interface Asked {
  readonly request: CommandRequest;
  readonly context: Omit<CommandContext, 'rewriteLine'>;
  readonly report: ReportBug;
}

/**
 * Runs a command. Always returns an answer: it explains errors of the person or the data service, and gives the reference of
 * a defect.
 */
export async function runCommand(
  commands: readonly Command[],
  { request, context, report }: Asked,
): Promise<Answer<string>> {
  const readReader = () =>
    readerOf(context.caller, context.store).catch((error: unknown) => {
      report(error);
      // The answer is shown all the same, as the platform's hint says.
      const { language, timeZone } = context.caller;
      return readerBy({ language, timeZone });
    });
  const caller = { ...context.caller, ...(await readReader()) };
  const { store, saved } = watchChanges(context.store);
  const asked = { request, context: { ...context, caller, store }, report };
  const { later, failure, ...first } = await answer(commands, asked, saved);
  const translateCard = async (card: Card) =>
    sayCard(
      { source: context.source(), ...card },
      // Read again, because the command may have changed these preferences.
      await readReader(),
    );
  const laterCard = later
    ?.catch((error: unknown): Card => {
      const reference = report(error);
      return {
        ...first,
        summary: lines(
          first.summary,
          msg('The rest of the answer is missing. The log: {reference}.', { reference }),
        ),
      };
    })
    .then((card) => card && translateCard(card))
    .catch((error: unknown) => void report(error) as undefined);
  return { ...(await translateCard(first)), later: laterCard, failure };
}

/** The changes of a command: those that are stored, and those whose commit got no answer and may be stored. */
interface Saved {
  readonly stored: Text[];
  readonly unanswered: Text[];
}

/** Returns the store, and the changes that are made through it from now on, in the words of the change log. */
function watchChanges(store: CommandStore): { readonly store: CommandStore; readonly saved: Saved } {
  const saved: Saved = { stored: [], unanswered: [] };
  const noted = async <Result>(what: Text, change: Promise<Result>): Promise<Result> => {
    const result = await change;
    saved.stored.push(what);
    return result;
  };
  return {
    saved,
    store: {
      ...store,
      async change(author, work) {
        let committing: readonly Text[] = [];
        try {
          const result = await store.change(author, async (places, audit) => {
            committing = [];
            const said: Text[] = [];
            const done = await work(places, (what) => {
              said.push(what);
              audit(what);
            });
            committing = said;
            return done;
          });
          saved.stored.push(...committing);
          return result;
        } catch (error) {
          saved.unanswered.push(...committing);
          throw error;
        }
      },
      forgetPlace: (receiver) => noted(msg('This chat is forgotten'), store.forgetPlace(receiver)),
      forgetPerson: (author) => noted(msg('Your name is forgotten'), store.forgetPerson(author)),
    },
  };
}

async function answer(
  commands: readonly Command[],
  { request, context, report }: Asked,
  saved: Saved,
): Promise<Answer> {
  let foundCommand: Command | undefined;
  let untraded: string | undefined;
  try {
    const universe = await readNameableSymbols(context);
    const { command, input, raw } = await readRequest(commands, {
      request,
      asking: { ...context, universe },
    });
    foundCommand = command;
    untraded = untradedIn(input, { command, listed: context.listed });
    requireRight(command, context.caller);
    const rewriteLine: CommandContext['rewriteLine'] = (inputs) => {
      const given: Readonly<Record<string, unknown>> = { ...raw, ...inputs };
      // In the order in which the command’s usage lists them: the words were typed in any order.
      const listed = Object.keys(command.input.shape).map((key) => [key, given[key]]);
      return writeLine(command.name, Object.fromEntries(listed));
    };
    const card = await command.run(input, { ...context, rewriteLine });
    const told = kindFacts(namedIn(input, command), context.marketKinds);
    if (told.length === 0) return card;
    return changeBoth(card, (shown) => ({ ...shown, facts: [...told, ...(shown.facts ?? [])] }));
  } catch (error) {
    const { stored, unanswered } = saved;
    // Of what a lost database refused nothing was saved.
    const isUnclear = unanswered.length > 0 && !(error instanceof DatabaseLost);
    if (stored.length > 0 || isUnclear) {
      const reference = report(error);
      return stored.length > 0
        ? {
            title: msg('Saved'),
            summary: lines(
              ...stored,
              msg('The rest of the answer is missing. The log: {reference}.', { reference }),
            ),
          }
        : {
            title: msg('It may have been saved'),
            summary: lines(
              ...unanswered,
              msg('The database gave no answer. Look before you ask again. The log: {reference}.', {
                reference,
              }),
            ),
          };
    }
    const isLate = context.signal.aborted && !(error instanceof UserError);
    const failure = isLate ? ({ code: 'unavailable' } as const) : failureOf(error);
    const card = await cardOf(error, isLate);
    return { ...card, forAsker: true, failure };
  }

  async function cardOf(error: unknown, isLate: boolean): Promise<Card> {
    if (error instanceof UserError) return refusalCard(error, foundCommand);
    const name = foundCommand?.name ?? msg('Your question');
    if (error instanceof ApiError) {
      const status = await Promise.try(() => context.status()).catch((cause: unknown) => void report(cause));
      return failureCard({ error, status: status ?? undefined, untraded });
    }
    if (error instanceof DatabaseLost)
      return {
        title: msg('{name}: not saved', { name }),
        summary: msg(
          'The bot’s database is lost or damaged, so nothing can be saved. The operator finds the remedy in the log.',
        ),
      };
    if (error instanceof DatabaseAway) report(error);
    if (isLate || failureOf(error).code === 'unavailable')
      return error instanceof DatabaseAway
        ? {
            title: msg('Not available'),
            summary: msg('The bot’s database does not answer. Try again in a minute.'),
          }
        : { title: msg('{name}: no answer in time', { name }), summary: msg('It timed out. Ask again.') };
    return {
      title: msg('{name}: something broke', { name }),
      summary: msg(
        'It is in the log as {reference}: if it happens again, give the operator this reference.',
        { reference: report(error) },
      ),
    };
  }
}

/** Returns the market that an input names although it is not listed, as one that is no longer traded. */
function untradedIn(
  input: Readonly<Record<string, unknown>>,
  { command, listed }: { readonly command: Command } & Pick<CommandContext, 'listed'>,
): string | undefined {
  if (listed.length === 0) return undefined;
  return namedIn(input, command).find((each) => !isGroup(each) && !listed.includes(each));
}

/** Returns the markets, and groups of them, that an input names. */
const namedIn = (input: Readonly<Record<string, unknown>>, command: Command): string[] =>
  fieldsOf(command)
    .filter(({ names }) => names === 'symbol')
    .flatMap(({ key }) => input[key])
    .filter((each) => typeof each === 'string');

/** Returns the listed markets and those of firing alerts: an alert's buttons work even if its market is no longer listed. */
export async function readNameableSymbols({
  listed,
  store,
}: Pick<CommandContext, 'listed' | 'store'>): Promise<readonly string[]> {
  // While the list of markets is not loaded, it must stay empty: a pair named in full is then accepted as it is.
  if (listed.length === 0) return listed;
  const firingSymbols = (await store.alerts.firing()).flatMap(({ labels }) => labels.symbol ?? []);
  return [...new Set([...listed, ...firingSymbols])];
}

const refusalCard = ({ title, remedy }: UserError, asked: Command | undefined): Card => ({
  title: title ?? (asked === undefined ? msg('I didn’t understand that') : msg('Can’t do that')),
  summary: remedy,
});
