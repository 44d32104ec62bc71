import { z } from 'zod';
import { sampleCard } from '../card/sample-card.ts';
import { UserError } from '../language/errors.ts';
import { labelTitle } from '../language/format.ts';
import { listOf, msg } from '../language/text.ts';
import { defineCommand } from '../shell/command.ts';
import { kinds as kindsInput } from '../shell/input.ts';

export default defineCommand({
  name: 'test',
  topic: 'alerts',
  description: msg('Post sample alerts here, to see how they look and that they arrive'),
  takes: 'manage',
  refusal: msg('Only those who manage this chat can post sample alerts here.'),
  input: z.object({
    kinds: kindsInput.describe('Kinds of alerts (default: one of each)').prefault('all'),
  }),
  async run({ kinds: wanted }, { caller, kinds, tryPost, now }) {
    const samples = kinds.flatMap(({ name, sample }) =>
      sample !== undefined && (wanted.includes('*') || wanted.includes(name)) ? [{ name, sample }] : [],
    );
    if (samples.length === 0)
      throw new UserError(
        msg('These kinds have samples: {kinds}.', {
          kinds: listOf(
            kinds.filter(({ sample }) => sample !== undefined).map(({ name }) => labelTitle(name)),
          ),
        }),
      );
    for (const { sample } of samples) {
      const card = sampleCard(sample(now), now);
      if (card !== undefined) await tryPost(caller.receiver, card);
    }
    return {
      title: msg('Sample alerts posted'),
      summary: msg('{count, number} samples: {kinds}.', {
        count: samples.length,
        kinds: listOf(samples.map(({ name }) => labelTitle(name))),
      }),
    };
  },
});
