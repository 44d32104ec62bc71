import { z } from 'zod';
import { receiverKey } from '../alert/subscription.ts';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { msg, typed } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';

/** How many of the latest alerts, and of the latest deliveries here, are searched. */
const maxSearched = 500;

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
      store.alerts.recent(maxSearched),
      store.deliveries.recent(caller.receiver, maxSearched),
    ]);
    const sentAlerts = sent.flatMap(({ alert }) => alert ?? []);
    const isForHere = ({ only }: (typeof sentAlerts)[number]) =>
      only === undefined || receiverKey(only) === receiverKey(caller.receiver);
    const found =
      id === undefined
        ? sentAlerts.find(({ annotations }) => annotations.chart !== undefined)
        : [...sentAlerts, ...firing, ...recent].filter(isForHere).find((alert) => alert.id === id);
    const { actions, chart, facts, ...card } = found === undefined ? noChartCard : alertCard([found]);
    if (chart === undefined) return noChartCard;
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

const noChartCard: Card = {
  title: msg('No chart of an alert'),
  summary: msg('No such alert is kept, or it has none. "{market}" shows how things are now.', {
    market: typed('market'),
  }),
};
