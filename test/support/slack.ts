import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { onLoopback } from './loopback.ts';

/** Checks that a text contains no mention and no link except in the form that apps may use. */
const escaped = (text: string): boolean =>
  !/[<>]|&(?!(?:amp|lt|gt);)/.test(text.replace(/<https?:\/\/[^<>|\s]+\|[^<>|]+>/g, ''));
const words = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => escaped(text) && text.isWellFormed(), 'control characters');
const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: words(max), emoji: z.boolean().optional() });
const marked = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: words(max), verbatim: z.boolean().optional() });
const either = (max: number) => z.discriminatedUnion('type', [plain(max), marked(max)]);

/** Source: docs.slack.dev/reference/block-kit/blocks */
export const block = z.union([
  z.strictObject({ type: z.literal('header'), text: plain(150) }),
  z.strictObject({ type: z.literal('section'), text: either(3_000) }),
  z.strictObject({ type: z.literal('section'), fields: z.array(either(2_000)).min(1).max(10) }),
  z.strictObject({ type: z.literal('context'), elements: z.array(either(3_000)).min(1).max(10) }),
]);
export const blocks = z.array(block).min(1).max(50);
export type Block = z.output<typeof block>;

const metadata = z.strictObject({
  event_type: z.string().regex(/^\w+$/),
  event_payload: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
const said = {
  channel: z.string(),
  text: z.string().refine(escaped),
  blocks: z.unknown(),
  metadata,
  parse: z.literal('none'),
};
const posting = z.strictObject({
  ...said,
  unfurl_links: z.boolean().optional(),
  unfurl_media: z.boolean().optional(),
  thread_ts: z.string().optional(),
  reply_broadcast: z.boolean().optional(),
});
const update = z.strictObject({ ...said, ts: z.string() });
const reading = z.strictObject({
  channel: z.string(),
  limit: z.coerce.number().int().min(1).max(999),
  include_all_metadata: z.enum(['true', 'false']).optional(),
});
const readingThread = reading.extend({
  ts: z.string(),
  oldest: z.string().optional(),
  cursor: z.string().optional(),
});

/** Maximum length of all texts in the blocks of a message (error msg_blocks_too_long). */
const longestInAll = 13_200;

export interface Posted {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string | undefined;
  readonly broadcast: boolean;
  readonly metadata: z.output<typeof metadata>;
  /** The message as people read it. */
  readonly lines: string;
}

export interface SlackFault {
  readonly method: string;
  readonly times?: number;
  /** Undefined: the request is carried out and the response is lost. */
  readonly answer?: {
    readonly status: number;
    readonly body: object;
    readonly headers?: Record<string, string>;
  };
}

/** Returns the text of blocks as people read it. */
export const linesOf = (given: readonly Block[]): string =>
  given
    .flatMap((each) => ('text' in each ? [each.text] : 'fields' in each ? each.fields : each.elements))
    .map(({ text }) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    .join('\n');

class Refused extends Error {}
const refuse = (code: string): never => {
  throw new Refused(code);
};

/** A request that exceeds a rate limit, which is refused with status 429. */
class TooMany extends Error {}

/** Starts a Slack workspace on loopback. Refuses what breaks a rule of Slack's reference, with the error code given there. */
export async function startSlack({
  token = 'xoxb-0123456789-abcdefghijkl',
  scopes = 'chat:write,channels:history',
  now,
}: {
  readonly token?: string;
  readonly scopes?: string;
  /** Clock of the rate limits; without it there are none. */
  readonly now?: () => number;
} = {}) {
  const channels = new Map<string, { member: boolean; archived: boolean }>();
  const messages: Posted[] = [];
  const faults: { method: string; left: number; answer: SlackFault['answer'] }[] = [];
  const calls: string[] = [];
  const counted = new Map<string, number[]>();
  let last = 1_700_000_000;

  const spend = (key: string, { per, max }: { readonly per: number; readonly max: number }) => {
    if (now === undefined) return;
    const recent = (counted.get(key) ?? []).filter((at) => at > now() - per);
    if (recent.length >= max) throw new TooMany();
    counted.set(key, [...recent, now()]);
  };
  const channelOf = (id: string) => {
    const channel = channels.get(id) ?? refuse('channel_not_found');
    if (!channel.member) refuse('not_in_channel');
    return channel;
  };
  const read = <T>(schema: z.ZodType<T>, given: unknown): T => {
    const { data } = schema.safeParse(given);
    return data ?? refuse('invalid_arguments');
  };
  const blocksOf = (given: unknown): readonly Block[] => {
    const { data } = blocks.safeParse(given);
    const all = data ?? refuse('invalid_blocks');
    const texts = all.flatMap((each) =>
      'text' in each ? [each.text] : 'fields' in each ? each.fields : each.elements,
    );
    if (texts.reduce((sum, { text }) => sum + text.length, 0) > longestInAll) refuse('msg_blocks_too_long');
    return all;
  };
  const shown = ({ channel, ts, thread, metadata, lines }: Posted, whole: boolean) => ({
    type: 'message',
    ...{ channel, ts, text: lines },
    ...(thread !== undefined && { thread_ts: thread }),
    metadata: whole ? metadata : { event_type: metadata.event_type },
  });

  const methods: Record<string, (given: unknown) => object> = {
    'auth.test': () => ({ url: 'https://example.slack.com/', team_id: 'T0123456789', bot_id: 'B0123456789' }),
    'chat.postMessage'(given) {
      const {
        channel,
        thread_ts: thread,
        reply_broadcast: broadcast = false,
        ...rest
      } = read(posting, given);
      spend(channel, { per: 1_000, max: 1 });
      if (channelOf(channel).archived) refuse('is_archived');
      if (rest.text.length > 40_000) refuse('msg_too_long');
      const lines = linesOf(blocksOf(rest.blocks));
      const root = messages.find((each) => each.channel === channel && each.ts === thread);
      if (thread !== undefined && root === undefined) refuse('thread_not_found');
      if (root?.thread !== undefined) refuse('cannot_reply_to_message');
      last += 1;
      const ts = `${last}.000100`;
      messages.push({ channel, ts, thread, broadcast, lines, metadata: rest.metadata });
      return { channel, ts, message: {} };
    },
    'chat.update'(given) {
      const { channel, ts, ...rest } = read(update, given);
      spend('edits', { per: 60_000, max: 50 });
      channelOf(channel);
      const index = messages.findIndex((each) => each.channel === channel && each.ts === ts);
      const before = messages[index] ?? refuse('message_not_found');
      messages[index] = { ...before, lines: linesOf(blocksOf(rest.blocks)), metadata: rest.metadata };
      return { channel, ts, text: rest.text };
    },
    'conversations.history'(given) {
      const { channel, limit, include_all_metadata } = read(reading, given);
      channelOf(channel);
      const all = messages
        .filter((each) => each.channel === channel && (each.thread === undefined || each.broadcast))
        .reverse();
      const found = all.slice(0, limit).map((each) => shown(each, include_all_metadata === 'true'));
      return { messages: found, has_more: all.length > limit };
    },
    'conversations.replies'(given) {
      const {
        channel,
        ts,
        oldest = '',
        cursor = '0',
        limit,
        include_all_metadata,
      } = read(readingThread, given);
      channelOf(channel);
      const all = messages.filter(
        (each) => each.channel === channel && (each.ts === ts || each.thread === ts),
      );
      if (all.length === 0) refuse('thread_not_found');
      const later = all.filter((each) => each.ts > oldest);
      const end = Number(cursor) + limit;
      const found = later
        .slice(Number(cursor), end)
        .map((each) => shown(each, include_all_metadata === 'true'));
      if (later.length <= end) return { messages: found, has_more: false };
      return { messages: found, has_more: true, response_metadata: { next_cursor: String(end) } };
    },
  };

  const answer = async (request: IncomingMessage): Promise<NonNullable<SlackFault['answer']> | undefined> => {
    const url = new URL(request.url ?? '', 'http://slack');
    const name = url.pathname.replace(/^\/api\//, '');
    const body = await text(request);
    calls.push(name);
    const fault = faults.find(({ method, left }) => method === name && left > 0);
    if (fault !== undefined) fault.left -= 1;
    if (fault?.answer !== undefined) return fault.answer;
    const ok = (json: object, headers = {}) => ({ status: 200, body: json, headers });
    try {
      const method = methods[name] ?? refuse('unknown_method');
      if (request.headers.authorization !== `Bearer ${token}`) refuse('invalid_auth');
      const reads = name.startsWith('conversations.');
      if (!reads && request.headers['content-type'] !== 'application/json; charset=utf-8')
        refuse('missing_charset');
      if (reads !== (request.method === 'GET')) refuse('invalid_arguments');
      const done = method(reads ? Object.fromEntries(url.searchParams) : JSON.parse(body));
      return fault === undefined ? ok({ ok: true, ...done }, { 'x-oauth-scopes': scopes }) : undefined;
    } catch (error) {
      if (error instanceof TooMany)
        return { status: 429, body: { ok: false, error: 'ratelimited' }, headers: { 'retry-after': '1' } };
      if (error instanceof Refused) return ok({ ok: false, error: error.message });
      throw error;
    }
  };
  const server = createServer(async (request, response) => {
    const said = await answer(request);
    if (said === undefined) return void response.destroy();
    response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
    response.end(JSON.stringify(said.body));
  });
  const { url, close } = await onLoopback(server);
  return {
    token,
    url: `${url}/api`,
    /** Names of the called methods, oldest first. */
    calls,
    /** Current messages in the order in which they were posted. */
    messages: messages as readonly Posted[],
    channel(id: string, given: { readonly member?: boolean; readonly archived?: boolean } = {}) {
      channels.set(id, { member: true, archived: false, ...given });
      return id;
    },
    delete(ts: string) {
      messages.splice(
        messages.findIndex((each) => each.ts === ts),
        1,
      );
    },
    inject: ({ method, times = 1, answer: instead }: SlackFault) =>
      void faults.push({ method, left: times, answer: instead }),
    close,
  };
}
