import type { Card } from '../../card/card.ts';
import { msg, type Text } from '../../language/text.ts';
import type { CommandContext } from '../../shell/command.ts';
import { buildRule, type GivenRule, standingsOf } from './build-rule.ts';

/**
 * Returns the side on which an alert fires that is given a level alone: the one where the value is not now. Undefined if
 * that is not known, or the alert is about several markets.
 */
export async function sideOf(
  level: number,
  { given, context }: { readonly given: GivenRule; readonly context: CommandContext },
): Promise<'above' | 'below' | undefined> {
  const rule = buildRule({ ...given, above: level }, context);
  const [standing, ...others] = (await standingsOf(rule, context)) ?? [];
  if (standing?.holds === undefined || others.length > 0) return undefined;
  return standing.holds ? 'below' : 'above';
}

export function askSide(level: number, { rewriteLine }: Pick<CommandContext, 'rewriteLine'>): Card {
  const button = (label: Text, side: 'above' | 'below') => {
    const command = rewriteLine({ action: 'create', level: undefined, [side]: String(level) });
    return command === undefined ? [] : [{ label, command }];
  };
  return {
    title: msg('Above or below {level}?', { level: String(level) }),
    actions: [...button(msg('Above'), 'above'), ...button(msg('Below'), 'below')],
  };
}
