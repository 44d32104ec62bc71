import { z } from 'zod';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { lines, listOf, msg } from '../language/text.ts';
import { type CommandContext, defineCommand } from './command.ts';

export default defineCommand({
  name: 'test',
  description: 'Post one sample alert of each kind here, marked as a test',
  settings: true,
  input: z.object({}),
  async run(_, { store, caller, kinds, tryPost, now }) {
    const latest = await store.alerts.recent(500);
    for (const kind of kinds) {
      const alert = latest.find(({ labels }) => labels.kind === kind.name);
      await tryPost(caller.receiver, alert === undefined ? invented(kind, now) : marked(alertCard([alert])));
    }
    return {
      title: msg('Test alerts were posted'),
      summary: msg('{count, number}, one of each kind: {kinds}.', {
        count: kinds.length,
        kinds: listOf(kinds.map(({ name }) => name)),
      }),
    };
  },
});

const invented = ({ name, description }: CommandContext['kinds'][number], now: number): Card =>
  marked({
    title: name,
    summary: msg('{what}.', { what: description }),
    severity: 'warning',
    status: 'firing',
    facts: [{ name: msg('Value'), value: msg('made up') }],
    dataTime: now,
  });

/** Nobody may take it for an alert, also where only its title is seen. */
const marked = ({ actions: _, summary, ...card }: Card): Card => ({
  ...card,
  title: msg('TEST: {title}', { title: card.title }),
  summary: lines(msg('This is a test. Nothing has happened.'), summary),
});
