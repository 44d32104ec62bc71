import type { Answer, Card } from '../../card/card.ts';
import { lines, type Text } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';

/**
 * Answers a change that is stored. The rest of the answer, which needs data or the past, is waited for briefly, so that most
 * answers come whole, and otherwise put in later.
 *
 * @param waiting says that the change is saved and what is still to come
 */
export async function answerSaved(
  card: Card,
  {
    rest,
    waiting,
    context,
  }: {
    readonly rest: () => Promise<Answer>;
    readonly waiting: Text;
    readonly context: Pick<CommandContext, 'soon'>;
  },
): Promise<Answer> {
  const whole = rest();
  const later = whole.then(async ({ later, ...known }) => (await later) ?? known);
  // Whoever shows the answer awaits it later, if at all.
  later.catch(() => undefined);
  return (await context.soon(whole)) ?? { ...card, summary: lines(card.summary, waiting), later };
}
