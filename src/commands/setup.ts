import { z } from 'zod';
import { type PresetName, presetNames, presetOf, presets } from '../alert/presets.ts';
import type { Subscription } from '../alert/subscription.ts';
import type { Card } from '../card/card.ts';
import { labelTitle, number } from '../language/format.ts';
import { join, lines, msg, type Text } from '../language/text.ts';
import { preferencesText, readPreferences } from '../places/arrival.ts';
import { readKnownKinds } from '../places/editing.ts';
import {
  chooseKinds,
  createSubscription,
  editSubscription,
  findSubscriptions,
  subscriptionText,
  wishOf,
} from '../places/subscriptions.ts';
import type { Preview } from '../preview/preview.ts';
import { day } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId, role } from '../shell/input.ts';

const presetTexts: Readonly<Record<PresetName, Text>> = {
  quiet: msg('only what is critical'),
  standard: msg('what most traders want to know'),
  everything: msg('every kind, small events too'),
};

export default defineCommand({
  name: 'setup',
  topic: 'alerts',
  description: msg('Set up alerts step by step: how many, which role to mention, a sample'),
  takes: 'manage',
  input: z.object({
    preset: z.enum(presetNames).optional().describe('Few alerts (quiet), standard, or everything'),
    id: ownId('subscription').optional().describe('The subscription to change (default: the first)'),
    mention: role.describe('A role to mention with each post, where there are roles, or none').optional(),
  }),
  async run({ preset, id, mention }, context) {
    const { caller, kinds, store } = context;
    const editing = editingOf(context);
    const existing = await store.subscriptions.of(caller.receiver);
    const [before] = id === undefined ? existing : findSubscriptions({ id }, existing);
    const put = await save();
    const shown = put?.subscription ?? before;
    const preview = await context.preview({
      kinds: shown?.kinds ?? chooseKinds({}, kinds).kinds,
      symbols: shown?.symbols ?? ['*'],
      minSeverity: shown?.minSeverity ?? 'info',
    });
    const card = await panel(shown?.id, { preview, context });
    return preview.state === 'pending'
      ? {
          ...card,
          // Read anew: another button may have changed it meanwhile.
          later: preview.complete.then((known) => panel(shown?.id, { preview: known, context })),
        }
      : card;

    async function save() {
      if (preset === undefined && mention === undefined) return undefined;
      if (before === undefined) {
        const wish = wishOf({ preset, symbols: ['*'], mention }, kinds, caller);
        return createSubscription(wish, editing, { spoken: caller.language });
      }
      const { kinds: chosen, severity = 'info' } = chooseKinds({ preset }, kinds);
      return editSubscription(
        before.id,
        (each) => ({
          ...readPreferences({ mention }, { ...caller, before: each }),
          ...(preset !== undefined && { kinds: chosen, minSeverity: severity }),
        }),
        editing,
      );
    }
  },
});

interface Panel {
  readonly preview: Preview;
  readonly context: CommandContext;
}

/** Returns the steps as they stand: the subscription is read here, so that what is shown is what is stored. */
async function panel(id: string | undefined, { preview, context }: Panel): Promise<Card> {
  const { caller, kinds, store } = context;
  const [subscriptions, known] = await Promise.all([
    store.subscriptions.of(caller.receiver),
    readKnownKinds(caller.receiver, context),
  ]);
  const subscription = subscriptions.find((each) => each.id === id);
  const chosen = subscription && presetIn(subscription, kinds);
  const named = subscription === undefined ? '' : ` id=${subscription.id}`;
  const command = (name: PresetName) => `setup preset=${name}${named}`;
  return {
    panel: true,
    title: msg('Set up alerts'),
    summary:
      subscription === undefined
        ? msg('Nothing is subscribed here yet. How many alerts do you want?')
        : lines(subscriptionText(subscription, known), preferencesText({ ...subscription, mention: null })),
    table: {
      columns: [msg('Choice'), '', ''],
      rows: presetNames.map((name) => [
        name === chosen ? join(['✓', labelTitle(name)], ' ') : labelTitle(name),
        postsText(name, preview),
        presetTexts[name],
      ]),
      commands: presetNames.map((name) => (name === chosen ? '' : command(name))),
    },
    actions: [
      ...presetNames
        .filter((name) => name !== chosen)
        .map((name) => ({
          label: labelTitle(name),
          command: command(name),
          ...(name === 'standard' && { weight: 'main' as const }),
        })),
      ...(subscription === undefined ? [] : changes(subscription, context)),
      ...(caller.roleOf === undefined
        ? []
        : [{ label: msg('Another channel …'), command: 'setup', at: 'chosen' as const }]),
    ],
  };
}

/** What can be done once there is a subscription. */
function changes({ id, mention }: Subscription, { caller, kinds }: CommandContext): Card['actions'] & {} {
  const [sampled] = kinds.filter(({ sample }) => sample !== undefined);
  const present = mention === null ? undefined : caller.roleOf?.(mention);
  return [
    ...(caller.roleOf === undefined
      ? []
      : [
          {
            label: msg('Role to mention …'),
            command: `setup id=${id} mention=`,
            // A role that was deleted is none to choose.
            role: { chosen: present?.mentionable === true ? present.id : undefined },
          },
        ]),
    ...(sampled === undefined ? [] : [{ label: msg('Post a sample'), command: `test ${sampled.name}` }]),
    { label: msg('More settings'), command: `subscriptions ${id}` },
  ];
}

/** Returns the preset that a subscription is; undefined if it is an own choice. */
const presetIn = (
  { kinds, minSeverity }: Subscription,
  known: CommandContext['kinds'],
): PresetName | undefined => {
  const name = presetOf(kinds, known);
  return presets.find((each) => each.name === name)?.minSeverity === minSeverity ? name : undefined;
};

function postsText(name: PresetName, preview: Preview): Text {
  if (preview.state === 'pending') return msg('counting…');
  const counted = preview.state === 'known' ? preview : undefined;
  const posts = counted?.presets?.find((each) => each.name === name)?.posts;
  if (counted === undefined || posts === undefined) return '';
  const daily = (posts * day) / Math.max(day, counted.to - counted.from);
  return daily >= 1 || daily === 0
    ? msg('about {posts} a day', { posts: number(daily, 0) })
    : msg('about {posts} a week', { posts: number(Math.max(1, daily * 7), 0) });
}
