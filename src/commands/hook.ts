import { z } from 'zod';
import type { Fact } from '../alert/alert.ts';
import { type Hook, type HookField, hookFields, kindOfHook } from '../alert/hook.ts';
import type { Card } from '../card/card.ts';
import { sayReading } from '../hook/seen-body.ts';
import { UserError } from '../language/errors.ts';
import { labelTitle, span, time } from '../language/format.ts';
import { lines, msg, type Text, typed } from '../language/text.ts';
import { createHook, editHook, endHook, findHook, testHook } from '../places/hooks.ts';
import { lengths, maxOpenCalls, spans } from '../places/limits.ts';
import { recordFact } from '../record/record-fact.ts';
import { day, parseDuration } from '../runtime/units.ts';
import { type CommandContext, defineCommand } from '../shell/command.ts';
import { editingOf } from '../shell/editing.ts';
import { ownId, timeSpan } from '../shell/input.ts';

const actions = ['list', 'create', 'show', 'edit', 'test', 'delete'] as const;
const template = z.string().trim().max(lengths.hookTemplate);

const input = z.object({
  action: z.enum(actions).default('list').describe('What to do'),
  // Before the texts, which take any word.
  calls: z
    .enum(['1h', '4h', '24h', 'none'])
    .describe('Its entries count as calls over that time, in the league (default: none)')
    .optional(),
  name: z.string().trim().min(1).max(lengths.hookName).optional().describe('What to call it'),
  id: ownId('hook').describe('Id of a hook in this chat').optional(),
  symbol: template.describe('Field of the market, in braces (default: symbol, ticker, …)').optional(),
  direction: template.describe('Field that says buy or sell, long or short, in braces').optional(),
  severity: template
    .describe('info, warning, critical, or its field in braces (default: warning)')
    .optional(),
  title: template.describe('The title: words, and fields in braces').optional(),
  text: template.describe('What stands below the title: words, and fields in braces').optional(),
  status: template.describe('Field that says when something is over, in braces').optional(),
  alert: template.describe('What tells one alert from another: words, and fields in braces').optional(),
  for: timeSpan(spans.hookLasts).describe('How long an alert lasts that is not repeated').optional(),
  signed: z.enum(['yes', 'no']).default('no').describe('Only bodies signed by Standard Webhooks'),
  key: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{22,100}={0,2}$/)
    .optional()
    .describe('The key of a sender that has one (whsec_…)'),
});
type Given = z.output<typeof input>;

export default defineCommand({
  name: 'hook',
  topic: 'alerts',
  otherNames: ['hooks'],
  description: msg('Alerts from elsewhere: TradingView, Alertmanager or any program posts them to this chat'),
  takes: 'own',
  personal: true,
  input,
  actions: {
    list: { description: msg('The hooks of this chat') },
    create: {
      description: msg('Create a hook: its secret is shown once'),
      requiredInputs: ['name'],
      optionalInputs: [
        'symbol',
        'direction',
        'severity',
        'title',
        'text',
        'status',
        'alert',
        'for',
        'calls',
        'signed',
        'key',
      ],
    },
    show: {
      description: msg('One hook: its address, what it reads, the last bodies, its record'),
      requiredInputs: ['id'],
    },
    edit: {
      description: msg('Let the entries of a hook count as calls, or no longer'),
      requiredInputs: ['id', 'calls'],
    },
    test: { description: msg('Send a test through a hook'), requiredInputs: ['id'] },
    delete: {
      description: msg('Delete a hook: its secret is void and its alerts end'),
      requiredInputs: ['id'],
    },
  } satisfies Record<(typeof actions)[number], object>,
  async run(given, context) {
    const { store, caller } = context;
    const existing = () => store.hooks.of(caller.receiver);
    const meant = given.id ?? given.name;
    switch (given.action) {
      case 'create':
        return create(given, context);
      case 'show':
        return show(findHook(meant, await existing()), context);
      case 'edit':
        return edit(meant, given, context);
      case 'test':
        return testHook(meant, editingOf(context), caller);
      case 'delete':
        return endHook(meant, editingOf(context));
      case 'list':
        return list(await existing());
    }
  },
});

async function create({ action: _, id: __, ...given }: Given, context: CommandContext): Promise<Card> {
  const { hook, secret } = await createHook(
    { ...given, signed: given.signed === 'yes', calls: callsOf(given) },
    editingOf(context),
  );
  return {
    title: msg('Hook created'),
    summary: lines(
      hook.signed
        ? msg('POST signed bodies to the address below, on the host at which this bot’s page is reached.')
        : msg(
            'POST to the address below, on the host at which this bot’s page is reached. Where the sender can set headers, leave the secret out of the address and send it as Authorization: Bearer.',
          ),
      msg('The secret is not shown again: whoever has it can post here.'),
    ),
    facts: [
      { name: msg('Id'), value: hook.id },
      { name: msg('Address'), value: hook.signed ? addressOf(hook) : `${addressOf(hook)}/${secret}` },
      ...(given.key === undefined ? [{ name: msg('Secret'), value: secret }] : []),
      ...hookFacts(hook),
    ],
    actions: [
      { label: msg('Test'), command: `hook test id=${hook.id}` },
      { label: msg('Delete'), command: `hook delete id=${hook.id}` },
    ],
  };
}

/** Returns how long calls run, ms; null: none are made. */
const callsOf = ({ calls = 'none' }: Pick<Given, 'calls'>): number | null =>
  calls === 'none' ? null : (parseDuration(calls) ?? null);

async function edit(named: string | undefined, given: Given, context: CommandContext): Promise<Card> {
  if (given.calls === undefined)
    throw new UserError(
      msg('Give how long its calls run, or none: {example}.', {
        example: typed('hook edit breakouts 24h', 'hook edit id:breakouts calls:24h'),
      }),
    );
  const hook = await editHook(named, { calls: callsOf(given) }, editingOf(context));
  return { title: msg('Hook changed'), facts: [{ name: msg('Hook'), value: hook.name }, ...callFacts(hook)] };
}

const callFacts = ({ calls }: Pick<Hook, 'calls'>): readonly Fact[] => [
  {
    name: msg('Calls'),
    value:
      calls === null
        ? msg('none')
        : msg('each entry, for {span}: one open call per market, at most {count, number} in all', {
            span: span(calls),
            count: maxOpenCalls,
          }),
  },
];

async function show(hook: Hook, { records, store }: CommandContext): Promise<Card> {
  const recent = await store.hooks.recent(hook.id);
  const scores = await records.scores({ kind: kindOfHook(hook.id) });
  const record = scores.find(({ horizon, n }) => horizon === day && n > 0);
  return {
    title: hook.name,
    facts: [
      { name: msg('Id'), value: hook.id },
      { name: msg('Address'), value: addressOf(hook) },
      ...hookFacts(hook),
      ...(record?.found === undefined ? [] : [recordFact(record)]),
    ],
    table: {
      columns: [msg('Received'), msg('Read as'), msg('Body')],
      rows: recent.map((seen) => [time(seen.at), sayReading(seen), seen.body]),
    },
    actions: [
      { label: msg('Test'), command: `hook test id=${hook.id}` },
      { label: msg('Scorecard'), command: `scorecard ${kindOfHook(hook.id)}` },
      { label: msg('Silence ▸'), command: `silence ${kindOfHook(hook.id)}` },
      { label: msg('Delete'), command: `hook delete id=${hook.id}` },
    ],
  };
}

/** Returns the path of a hook, on the host of the bot's page. */
const addressOf = ({ id }: Pick<Hook, 'id'>): string => `/hooks/${id}`;

const names: Readonly<Record<HookField, Text>> = {
  name: msg('Alerts are told apart by'),
  symbol: msg('Market'),
  direction: msg('Direction'),
  severity: msg('Severity'),
  title: msg('Title'),
  text: msg('Text'),
  status: msg('Status'),
};

const hookFacts = ({ template, severity, lasts, signed, calls }: Hook): readonly Fact[] => [
  ...hookFields.flatMap((field) => {
    const value = template[field];
    return value === undefined ? [] : [{ name: names[field], value }];
  }),
  ...(template.severity === undefined ? [{ name: msg('Severity'), value: labelTitle(severity) }] : []),
  {
    name: msg('Expires'),
    value:
      lasts === null
        ? msg('1 h after the last signal; 1 day (a position: 7 days) if the sender says when it is over')
        : msg('{after} after the last signal', { after: span(lasts) }),
  },
  {
    name: msg('Proof'),
    value: signed ? msg('signed bodies (Standard Webhooks)') : msg('its secret'),
  },
  ...(calls === null ? [] : callFacts({ calls })),
];

/** How many hooks get a button: a message has room for 25 buttons, but nobody reads so many. */
const maxButtons = 10;

const noneYet = msg('None yet. Create one: {example}.', {
  example: typed('hook create breakouts', 'hook create name:breakouts'),
});

const list = (hooks: readonly Hook[]): Card => ({
  title: msg('Hooks of this chat'),
  summary: hooks.length === 0 ? noneYet : undefined,
  table: {
    columns: [msg('Id'), msg('Name'), msg('Address'), msg('Lasts')],
    rows: hooks.map((hook) => [
      hook.id,
      hook.name,
      addressOf(hook),
      hook.lasts === null ? msg('as usual') : span(hook.lasts),
    ]),
  },
  actions: hooks
    .slice(0, maxButtons)
    .map(({ id }) => ({ label: msg('Show {id}', { id }), command: `hook show id=${id}` })),
});
