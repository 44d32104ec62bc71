import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';

/** Where a message is, and by what its thread goes: the `ts` of the first message there. */
export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string;
}

/** As text, `<channel>/<ts>/<thread>`, it is the reference the pipeline keeps. */
export const writeReference = ({ channel, ts, thread }: SlackPost): string => `${channel}/${ts}/${thread}`;

export function readReference(reference: string): SlackPost {
  const [channel = '', ts = '', thread = ''] = reference.split('/');
  return { channel, ts, thread };
}

const eventType = 'tocsin_post';

/** Metadata of a message, which its app alone reads (docs.slack.dev/messaging/message-metadata). */
export const marked = (id: string) => ({ metadata: { event_type: eventType, event_payload: { id } } });

const posted = z.object({ channel: z.string(), ts: z.string() });
const listed = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      thread_ts: z.string().optional(),
      metadata: z.object({ event_type: z.string(), event_payload: z.unknown() }).optional(),
    }),
  ),
  has_more: z.boolean().default(false),
});
const payload = z.object({ id: z.string() });

/** The message an answer holds. Throws DeliveryError where it holds none. */
export function readPosted(json: object): SlackPost {
  const { data } = posted.safeParse(json);
  if (data !== undefined) return { ...data, thread: data.ts };
  throw new DeliveryError(
    { kind: 'unavailable', accepted: 'unknown' },
    msg('Slack took the message, but its answer is unreadable; looking for the post'),
  );
}

export interface SlackMessages {
  readonly messages: readonly {
    readonly ts: string;
    readonly thread: string;
    readonly mark: string | undefined;
  }[];
  /** Nothing is left out. */
  readonly whole: boolean;
}

/** Messages of a channel or a thread, with the id of the post that each is. */
export function readMessages(json: object): SlackMessages {
  const { data } = listed.safeParse(json);
  if (data === undefined) return { messages: [], whole: false };
  return {
    whole: !data.has_more,
    messages: data.messages.map(({ ts, thread_ts, metadata }) => ({
      ts,
      thread: thread_ts ?? ts,
      mark:
        metadata?.event_type === eventType ? payload.safeParse(metadata.event_payload).data?.id : undefined,
    })),
  };
}
