import { z } from 'zod';
import type { Rule } from '../alert/rule.ts';
import { expandGroups, watchlist } from '../alert/symbols.ts';
import type { Answer, Card } from '../card/card.ts';
import { UserError } from '../language/errors.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import type { Which } from '../places/editing.ts';
import {
  buildRule,
  conditionText,
  createRule,
  editRule,
  endRules,
  findRules,
  type GivenRule,
  pauseRules,
  ruleSentence,
} from '../places/rules.ts';
import { unknownNameError } from '../rules/expression-errors.ts';
import { second } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { authorOf, editingOf, mustManage } from '../shell/editing.ts';
import { level, ownId, sentence, whichOf } from '../shell/input.ts';
import { writeLine } from '../shell/parse.ts';
import { ruleInput } from '../shell/place-inputs.ts';
import { previewCard, withPreview } from './kit/preview-card.ts';
import { ruleCard, rulesTable, standingOf, standingsOf } from './kit/rule-card.ts';
import { metricsCard, ruleForm } from './kit/rule-form.ts';
import { answerSaved } from './kit/saved.ts';
import { sentenceWords, understood, unnamedSentence } from './kit/sentence.ts';

const actions = ['list', 'new', 'create', 'show', 'edit', 'pause', 'resume', 'delete', 'metrics'] as const;
const { metric, symbols, above, below, is, when, clear, name, ...terms } = ruleInput.shape;

const input = z.object({
  action: z.enum(actions).default('list').describe('What to do; metrics lists what an alert can be about'),
  ...{ metric, symbols, above, below },
  level: level.describe('Fires when it gets to this level, from where it is now').optional(),
  ...terms,
  id: ownId('rule').describe('Id of an alert in this chat, or all').optional(),
  ...{ is, when, clear, name },
  preview: z.enum(['yes', 'no']).optional().describe('Only show what you would have had; nothing is saved'),
  sentence: sentence
    .describe('In your own words: btc above 24000, eth 5% in 15m, sol rsi 4h below 30')
    .optional(),
});
type Given = z.output<typeof input>;

export default defineCommand({
  name: 'alert',
  topic: 'alerts',
  otherNames: ['alerts', 'notify'],
  shorthand: sentenceWords,
  unnamed: unnamedSentence,
  description: msg('Your own alerts in this chat: any metric above or below a level, or a condition'),
  takes: 'own',
  personal: true,
  input,
  actions: {
    list: { description: msg('The alerts in this chat') },
    new: {
      description: msg('Make an alert; what you would have had is shown before it is saved'),
      optionalInputs: ['sentence', 'metric', 'symbols'],
      form: ruleForm,
    },
    create: {
      description: msg('Create an alert on a metric, or with a condition of your own'),
      optionalInputs: [...Object.keys(ruleInput.shape), 'preview'],
    },
    show: { description: msg('One alert: its condition and how it stands now'), requiredInputs: ['id'] },
    edit: {
      description: msg('Change an alert'),
      requiredInputs: ['id'],
      optionalInputs: Object.keys(ruleInput.shape),
    },
    pause: { description: msg('Pause an alert, or all: kept but silent'), requiredInputs: ['id'] },
    resume: { description: msg('Resume a paused alert, or all'), requiredInputs: ['id'] },
    delete: { description: msg('Delete an alert, or all in this chat'), requiredInputs: ['id'] },
    metrics: { description: msg('What an alert can be about') },
  } satisfies Record<(typeof actions)[number], object>,
  async run(given, context) {
    const { caller, store, now } = context;
    const { receiver, rights } = caller;
    // In "alert delete all" the word "all" was read as markets, but means all alerts.
    const isAll = given.id === undefined && given.symbols?.includes('*') === true;
    const which = isAll ? 'all' : whichOf(given.id);
    switch (given.action) {
      case 'metrics':
        return metricsCard;
      case 'new':
        return previewDraft(given, context);
      case 'create':
        return create(given, context);
      case 'edit':
        return edit(whichOf(given.id), given, context);
      case 'pause':
      case 'resume':
        return setPaused(which, given.action === 'pause', context);
      case 'delete':
        return remove(which, context);
      case 'show': {
        const [rule] = findRules(whichOf(given.id), await store.rules.of(receiver));
        if (rule === undefined) throw new UserError(msg('None yet.'));
        return ruleCard(rule, {
          title: rule.name ?? conditionText(rule),
          now,
          manages: rights.has('manage'),
          standing: await standingOf(rule, context),
        });
      }
      case 'list': {
        // Whoever gives a condition and no action means to create the alert.
        const { above, below, level, is, when, sentence } = given;
        const isDescribed = [above, below, level, is, when, sentence].some((each) => each !== undefined);
        return isDescribed ? create(given, context) : list(await store.rules.of(receiver), context);
      }
    }
  },
});

/** Previews the alert that the given inputs describe. Without inputs, explains how to give them. */
function previewDraft(given: Given, context: CommandContext): Promise<Answer> | Card {
  mustManage(context.caller);
  const { action: _, mode: __, ...rest } = given;
  if (Object.values(rest).some((each) => each !== undefined))
    return create({ ...given, preview: 'yes' }, context);
  return {
    title: msg('New alert'),
    summary: msg('Give a metric, a level and markets: {example}. "{metrics}" lists what it can be about.', {
      metrics: typed('alert metrics'),
      example: typed('alert new funding.z above=2.5 btc', 'alert new metric:funding.z symbols:btc'),
    }),
    actions: [
      { label: msg('An example'), command: 'alert new metric=funding.z above=2.5 symbols=BTCUSDT' },
      { label: msg('What an alert can be about'), command: 'alert metrics' },
    ],
  };
}

/** Shows how a sentence is read, or asks which of its meanings is meant: nothing is saved before that was seen. */
async function understand({ sentence = '', ...given }: Given, context: CommandContext): Promise<Answer> {
  mustManage(context.caller);
  const read = understood(sentence, context);
  if (read.question !== undefined) return read.question;
  return create({ ...given, ...read.inputs, preview: 'yes' }, { ...context, rewriteLine: read.rewriteLine });
}

/** Creates or previews the alert. A level without a side is one that the value has yet to reach. */
async function create({ level, sentence, ...given }: Given, context: CommandContext): Promise<Answer> {
  if (sentence !== undefined) return understand({ level, sentence, ...given }, context);
  if (level === undefined) return createOnSide(given, context);
  mustManage(context.caller);
  const side = await sideOf(level, given, context);
  if (side !== undefined) return createOnSide({ ...given, [side]: level }, context);
  const action = given.preview === 'yes' ? 'new' : 'create';
  const button = (label: Text, side: 'above' | 'below') => {
    const command = context.rewriteLine({ action, level: undefined, [side]: String(level) });
    return command === undefined ? [] : [{ label, command }];
  };
  return {
    title: msg('Above or below {level}?', { level: String(level) }),
    actions: [...button(msg('Above'), 'above'), ...button(msg('Below'), 'below')],
  };
}

async function createOnSide(
  given: Omit<Given, 'level' | 'sentence'>,
  context: CommandContext,
): Promise<Answer> {
  const { caller, now, store, universe } = context;
  if (given.id !== undefined) throw unknownNameError(given.id);
  const newRule = buildRule(given, authorOf(context));
  const followed = newRule.symbols.includes(watchlist) ? await store.watchlist.of(caller.receiver) : [];
  const symbols = expandGroups(newRule.symbols, universe, followed);
  const readPreview = () => context.preview({ rule: { ...newRule, id: 'preview', symbols } });
  if (given.preview === 'yes')
    return previewCard(
      lines(ruleSentence(newRule), newRule.mode === 'once' ? msg('Once, then deleted.') : undefined),
      {
        preview: await readPreview(),
        saved: { action: 'create' },
        symbols,
        context,
      },
    );
  const { rule, title } = await createRule(newRule, editingOf(context));
  const cardOf = (standing?: Text) => ruleCard(rule, { title, now, manages: true, standing });
  return answerSaved(cardOf(), {
    async rest() {
      const [standing, preview] = await Promise.all([standingOf(rule, context), readPreview()]);
      return withPreview(cardOf(standing), { preview, symbols, context });
    },
    waiting: msg('Alert saved. The preview is still running.'),
    context,
  });
}

async function edit(which: Which, { level, ...given }: Given, context: CommandContext): Promise<Answer> {
  if (level !== undefined) throw new UserError(msg('Give the level as above=… or below=….'));
  const { rule, title } = await editRule(which, given, editingOf(context));
  const cardOf = (standing?: Text) => ruleCard(rule, { title, now: context.now, manages: true, standing });
  return answerSaved(cardOf(), {
    rest: async () => cardOf(await standingOf(rule, context)),
    waiting: msg('Alert saved. How it stands now is still being looked up.'),
    context,
  });
}

async function setPaused(which: Which, paused: boolean, context: CommandContext): Promise<Card> {
  const { left, title } = await pauseRules(which, paused, editingOf(context));
  return { ...list(left, context), title };
}

async function remove(which: Which, context: CommandContext): Promise<Card> {
  const { changed, left, title, summary } = await endRules(which, editingOf(context));
  return {
    title,
    summary,
    table: rulesTable(left, context.now),
    ...(changed.length === 1 && { actions: changed.flatMap((rule) => undoAction(rule, context.now)) }),
  };
}

/** Returns the button that creates a deleted alert again, as it was. */
function undoAction(rule: Rule, now: number): NonNullable<Card['actions']> {
  const command = writeLine('alert', {
    action: 'create',
    when: rule.condition,
    clear: rule.clear ?? undefined,
    symbols: rule.symbols.join(',') || undefined,
    for: rule.hold === 0 ? undefined : `${rule.hold / second}s`,
    mode: rule.mode === 'once' ? rule.mode : undefined,
    until:
      rule.expiresAt === null
        ? undefined
        : `${Math.max(3_600, Math.round((rule.expiresAt - now) / second))}s`,
    severity: rule.severity,
    name: rule.name ?? undefined,
  });
  // A created alert is on, so of a paused one it is said that it will be.
  const label = rule.paused ? msg('Create it again, on') : msg('Undo');
  return command === undefined ? [] : [{ label, command }];
}

/**
 * Returns the side on which an alert fires that is given a level alone: the one where the value is not now. Undefined if
 * that is not known, or the alert is about several markets.
 */
async function sideOf(
  level: number,
  given: GivenRule,
  context: CommandContext,
): Promise<'above' | 'below' | undefined> {
  const rule = buildRule({ ...given, above: level }, authorOf(context));
  const [standing, ...others] = (await standingsOf(rule, context)) ?? [];
  if (standing?.holds === undefined || others.length > 0) return undefined;
  return standing.holds ? 'below' : 'above';
}

/** How many alerts get a button: a message has room for 10 buttons, one of which creates a new alert. */
const maxButtons = 9;
const newAlert = { label: msg('New alert'), command: 'alert new' };

const noneYet = msg('None yet. Create one: {example}; "{metrics}" lists what it can be about.', {
  metrics: typed('alert metrics'),
  example: typed(
    'alert create funding.z above=2.5 btc for=10m',
    'alert create metric:funding.z above:2.5 symbols:btc for:10m',
  ),
});

function list(rules: readonly Rule[], { now }: CommandContext): Card {
  const shown = rules.slice(0, maxButtons).map(({ id }) => ({ id, command: `alert show id=${id}` }));
  return {
    title: msg('Alerts in this chat'),
    summary: rules.length === 0 ? noneYet : undefined,
    table: { ...rulesTable(rules, now), commands: shown.map(({ command }) => command) },
    actions: [...shown.map(({ id, command }) => ({ label: msg('Show {id}', { id }), command })), newAlert],
  };
}
