import type { z } from 'zod';
import type { Rule } from '../../alert/rule.ts';
import type { Silence, Subscription } from '../../alert/subscription.ts';
import { UserError } from '../../language/errors.ts';
import { say } from '../../language/say.ts';
import { msg } from '../../language/text.ts';
import { readPreferences } from '../../places/arrival.ts';
import type { Done, Editing } from '../../places/editing.ts';
import { buildRule, createRule, editRule, endRules, pauseRules } from '../../places/rules.ts';
import { createSilence, endSilences } from '../../places/silences.ts';
import {
  createSubscription,
  editSubscription,
  endSubscriptions,
  wishOf,
} from '../../places/subscriptions.ts';
import type { ApiChangeName, ApiData, ApiItem } from '../../platforms/web/ports/api.ts';
import { iso, second } from '../../runtime/units.ts';
import { editingOf } from '../../shell/editing.ts';
import { ruleInput, silenceInput, subscriptionChange, subscriptionInput } from '../../shell/place-inputs.ts';
import { readValues } from '../../shell/request.ts';
import { readNameableSymbols } from '../../shell/run.ts';
import type { Answering } from '../answer-commands.ts';

export interface ApiChangesOptions {
  readonly contextOf: Answering['contextOf'];
}

type Context = Awaited<ReturnType<Answering['contextOf']>>;

interface Changing {
  readonly id: string;
  /** Reads what is given. Throws UserError. */
  read<Input extends z.ZodObject>(input: Input): Promise<z.output<Input>>;
  readonly context: Context;
  readonly editing: Editing;
}

type Change = (given: Changing) => Promise<Done & { readonly data: readonly object[] }>;

/** Creates the changes of the HTTP API. */
export function createApiChange({ contextOf }: ApiChangesOptions): ApiData['change'] {
  return async (name, caller, { id, input }) => {
    const context = await contextOf(caller);
    const editing = editingOf(context);
    const asking = { ...context, universe: await readNameableSymbols(context) };
    const { title, summary, data } = await changes[name]({
      id,
      read: (schema) => readValues(schema, { given: input, asking }),
      context,
      editing,
    });
    const inWords = say(summary, context.caller);
    return { title: say(title, context.caller), ...(inWords !== '' && { summary: inWords }), data };
  };
}

const changes: Readonly<Record<ApiChangeName, Change>> = {
  async createSubscription({ read, context, editing }) {
    const { language, ...given } = await read(subscriptionInput);
    const { caller } = context;
    const wish = wishOf(given, context.kinds, caller);
    const { subscription, before, ...done } = await createSubscription(wish, editing, {
      chosen: language,
      spoken: caller.language,
    });
    return { ...done, data: subscription === before ? [] : [subscriptionOf(subscription)] };
  },
  async editSubscription({ id, read, context, editing }) {
    const { paused, ...given } = await read(subscriptionChange);
    const { subscription, ...done } = await editSubscription(
      id,
      (before) => ({
        ...readPreferences(given, { ...context.caller, before }),
        ...(paused !== undefined && { paused: paused === 'yes' }),
      }),
      editing,
    );
    return { ...done, data: [subscriptionOf(subscription)] };
  },
  endSubscription: async ({ id, editing }) => ({ ...(await endSubscriptions({ id }, editing)), data: [] }),

  async createRule({ read, editing }) {
    const { rule, ...done } = await createRule(buildRule(await read(ruleInput), editing.author), editing);
    return { ...done, data: [ruleOf(rule)] };
  },
  async editRule({ id, read, editing }) {
    const { rule, ...done } = await editRule({ id }, await read(ruleInput), editing);
    return { ...done, data: [ruleOf(rule)] };
  },
  pauseRule: async ({ id, editing }) => rulesDone(await pauseRules({ id }, true, editing)),
  resumeRule: async ({ id, editing }) => rulesDone(await pauseRules({ id }, false, editing)),
  endRule: async ({ id, editing }) => ({ ...(await endRules({ id }, editing)), data: [] }),

  async createSilence({ read, editing }) {
    const { kind = '*', symbol = '*', for: length } = await read(silenceInput);
    if (length === undefined) throw new UserError(msg('{key} is missing.', { key: 'for' }));
    const made = await createSilence({ kinds: [kind], symbols: [symbol], length }, editing);
    return { ...made, data: made.silence === made.before ? [] : [silenceOf(made.silence)] };
  },
  endSilence: async ({ id, editing }) => ({ ...(await endSilences({ id }, editing)), data: [] }),
};

const rulesDone = ({ changed, ...done }: Done & { readonly changed: readonly Rule[] }) => ({
  ...done,
  data: changed.map(ruleOf),
});

/** Returns what a place has as the API gives it: without whose it is. */
const ownOf = <Own extends Subscription | Rule>({ receiver: _, createdBy: __, ...own }: Own) => ({
  ...own,
  symbols: [...own.symbols],
  createdAt: iso(own.createdAt),
});

export const subscriptionOf = (given: Subscription): ApiItem<'subscription'> => ({
  ...ownOf(given),
  kinds: [...given.kinds],
});

export const ruleOf = (given: Rule): ApiItem<'rule'> => ({
  ...ownOf(given),
  hold: given.hold / second,
  expiresAt: given.expiresAt === null ? null : iso(given.expiresAt),
});

export const silenceOf = ({ id, kinds, symbols, startsAt, endsAt }: Silence): ApiItem<'silence'> => ({
  id,
  kinds: [...kinds],
  symbols: [...symbols],
  startsAt: iso(startsAt),
  endsAt: iso(endsAt),
});
