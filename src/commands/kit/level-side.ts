import type { Card } from '../../card/card.ts';
import { msg, type Text } from '../../language/text.ts';
import { buildRule, type GivenRule } from '../../places/rules.ts';
import type { CommandContext } from '../../shell/command.ts';
import { authorOf } from '../../shell/editing.ts';
import { standingsOf } from './rule-card.ts';

/**
 * Returns the side on which an alert fires that is given a level alone: the one where the value is not now. Undefined if
 * that is not known, or the alert is about several markets.
 */
export async function sideOf(
  level: number,
  given: GivenRule,
  context: CommandContext,
): Promise<'above' | 'below' | undefined> {
  const rule = buildRule({ ...given, above: level }, authorOf(context));
  const [standing, ...others] = (await standingsOf(rule, context)) ?? [];
  if (standing?.holds === undefined || others.length > 0) return undefined;
  return standing.holds ? 'below' : 'above';
}

export function askSide(
  level: number,
  { rewriteLine, action }: Pick<CommandContext, 'rewriteLine'> & { readonly action: 'new' | 'create' },
): Card {
  const button = (label: Text, side: 'above' | 'below') => {
    const command = rewriteLine({ action, level: undefined, [side]: String(level) });
    return command === undefined ? [] : [{ label, command }];
  };
  return {
    title: msg('Above or below {level}?', { level: String(level) }),
    actions: [...button(msg('Above'), 'above'), ...button(msg('Below'), 'below')],
  };
}
