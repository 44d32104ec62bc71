import { z } from 'zod';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';

/** The position of a message, and its thread: the `ts` of the thread's first message. */
export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  readonly thread: string;
}

/** Writes a post as the reference that the pipeline stores: `<channel>/<ts>/<thread>`. */
export const writeReference = ({ channel, ts, thread }: SlackPost): string => `${channel}/${ts}/${thread}`;

export function readReference(reference: string): SlackPost {
  const [channel = '', ts = '', thread = ''] = reference.split('/');
  return { channel, ts, thread };
}

const eventType = 'tocsin_post';

/**
 * Returns metadata of a message, which only the app that posted it can read
 * (docs.slack.dev/messaging/message-metadata).
 */
export const postMetadata = (id: string) => ({ metadata: { event_type: eventType, event_payload: { id } } });

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
  response_metadata: z.object({ next_cursor: z.string().min(1).optional().catch(undefined) }).optional(),
});
const payload = z.object({ id: z.string() });

/** Reads the position of the posted message from a response. Throws DeliveryError if the response has none. */
export function readPosted(json: object): SlackPost {
  const { data } = posted.safeParse(json);
  if (data !== undefined) return { ...data, thread: data.ts };
  throw new DeliveryError(
    { kind: 'unavailable', accepted: 'unknown' },
    msg('Slack took the message, but its answer is unreadable; looking for the post'),
  );
}

interface SlackMessages {
  readonly messages: readonly {
    readonly ts: string;
    readonly thread: string;
    readonly mark: string | undefined;
  }[];
  /** Whether the list ends with these messages. */
  readonly isComplete: boolean;
  /** The cursor of the next page, if Slack gives one. */
  readonly next: string | undefined;
}

/** Reads the messages of a channel or a thread, each with the id of its post from its metadata. */
export function readMessages(json: object): SlackMessages {
  const { data } = listed.safeParse(json);
  if (data === undefined) return { messages: [], isComplete: false, next: undefined };
  return {
    isComplete: !data.has_more,
    next: data.response_metadata?.next_cursor,
    messages: data.messages.map(({ ts, thread_ts, metadata }) => ({
      ts,
      thread: thread_ts ?? ts,
      mark:
        metadata?.event_type === eventType ? payload.safeParse(metadata.event_payload).data?.id : undefined,
    })),
  };
}
