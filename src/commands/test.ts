import { z } from 'zod';
import { revise } from '../alert/alert.ts';
import { alertCard } from '../card/alert-card.ts';
import type { Card } from '../card/card.ts';
import { title } from '../language/format.ts';
import { lines, listOf, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';

export default defineCommand({
  name: 'test',
  topic: 'alerts',
  description: msg('Post sample alerts here, to see how they look and that they arrive'),
  takes: 'manage',
  refusal: msg('Only those who manage this chat can post sample alerts here.'),
  input: z.object({}),
  async run(_, { caller, kinds, tryPost, now }) {
    const samples = kinds.flatMap(({ name, sample }) => (sample === undefined ? [] : [{ name, sample }]));
    for (const { sample } of samples) {
      const alert = revise(undefined, sample(now), now);
      if (alert !== null) await tryPost(caller.receiver, markAsTest(alertCard([alert])));
    }
    return {
      title: msg('Sample alerts posted'),
      summary: msg('{count, number} samples: {kinds}.', {
        count: samples.length,
        kinds: listOf(samples.map(({ name }) => title(name))),
      }),
    };
  },
});

/** Marks a sample as a test, also in its title, which may be all that is seen, and removes its buttons. */
const markAsTest = ({ actions: _, summary, ...card }: Card): Card => ({
  ...card,
  title: msg('TEST: {title}', { title: card.title }),
  summary: lines(msg('This is simulated sample data: nothing has happened.'), summary),
  source: msg('simulated sample data'),
});
