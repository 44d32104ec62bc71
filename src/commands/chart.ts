import { z } from 'zod';
import { receiverKey } from '../alert/subscription.ts';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';

/** How many of the latest alerts, and of the latest deliveries here, are searched. */
const lookedAt = 500;

export default defineCommand({
  name: 'chart',
  topic: 'past',
  description: msg('Chart of an alert: its values, its threshold, when it began, got worse and ended'),
  input: z.object({
    alert: z
      .string()
      .trim()
      .min(1)
      .max(60)
      .describe('The alert’s id, as its Chart button has it (default: the latest sent here)')
      .optional(),
  }),
  async run({ alert: id }, { store, caller }) {
    const [firing, recent, sent] = await Promise.all([
      store.alerts.firing(),
      store.alerts.recent(lookedAt),
      store.deliveries.recent(caller.receiver, lookedAt),
    ]);
    const own = sent.flatMap(({ alert }) => alert ?? []);
    const here = ({ only }: (typeof own)[number]) =>
      only === undefined || receiverKey(only) === receiverKey(caller.receiver);
    const found =
      id === undefined
        ? own.find(({ annotations }) => annotations.chart !== undefined)
        : [...own, ...firing, ...recent].filter(here).find((alert) => alert.id === id);
    const { actions, chart, facts, ...card } = found === undefined ? nothing : alertCard([found]);
    if (chart === undefined) return nothing;
    // A button that shows the same chart again would be useless.
    const others = actions?.filter(({ command }) => !command.startsWith('chart '));
    return {
      ...card,
      facts: facts?.slice(0, 3) ?? [],
      chart,
      ...(others !== undefined && { actions: others }),
    };
  },
});

const nothing: Card = {
  title: msg('No chart of an alert'),
  summary: msg('No such alert is kept, or it has none. "{market}" shows how things are now.', {
    market: typed('market'),
  }),
};
