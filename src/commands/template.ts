import { revise } from '../alert/alert.ts';
import { templateParts } from '../alert/style.ts';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { sayCard } from '../card/say-card.ts';
import { styledCard } from '../card/styled-card.ts';
import { listOf, msg, typed } from '../language/text.ts';
import { gallery, readStyle } from '../places/templates.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { subscriptionChange } from '../shell/place-inputs.ts';
import { readerOf } from '../shell/reader.ts';

export default defineCommand({
  name: 'template',
  topic: 'alerts',
  description: msg('Try how posts look in words and colours of your own; nothing is saved'),
  input: subscriptionChange.pick({ style: true, template: true, color: true, footer: true }),
  async run(given, context) {
    const style = readStyle(given, undefined);
    const sample = sampleOf(context);
    if (style === undefined || sample === undefined) return galleryCard;
    const { alert, card } = sample;
    const said = sayCard(
      { ...card, source: msg('simulated sample data') },
      await readerOf(context.caller, context.store),
    );
    const { actions: _, ...styled } = styledCard(said, {
      style: style ?? { name: 'normal' },
      alerts: [alert],
      record: undefined,
      notices: [],
    });
    return styled;
  },
});

const galleryCard: Card = {
  title: msg('Templates for posts'),
  summary: msg(
    'A template is the text of a post with parts in braces; its first line is the title. A part that says nothing is left out, with its line. Parts: {parts}. "{edit}" gives one to a subscription.',
    {
      parts: listOf(templateParts.map((part) => `{${part}}`)),
      edit: typed('edit ID template=trader', 'edit id:ID template:trader'),
    },
  ),
  table: {
    columns: [msg('Name'), msg('Template')],
    rows: Object.entries(gallery).map(([name, template]) => [name, template]),
  },
  actions: Object.keys(gallery).map((name) => ({ label: name, command: `template ${name}` })),
};

/** Returns an alert with made-up values, as it would be told; undefined if no kind in use has one. */
function sampleOf({ kinds, now }: Pick<CommandContext, 'kinds' | 'now'>) {
  const change = kinds.find(({ sample }) => sample !== undefined)?.sample?.(now);
  const market = { price: 42_000, change1hPct: 0.4, change24hPct: -3.4, first: null };
  const alert =
    change && revise(undefined, { ...change, annotations: { ...change.annotations, market } }, now);
  return alert ? { alert, card: alertCard([alert]) } : undefined;
}
