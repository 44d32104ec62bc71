import { Readable } from 'node:stream';
import { isOver } from '../../card/card.ts';
import { DeliveryError } from '../../language/errors.ts';
import { msg } from '../../language/text.ts';
import { CalledOff, isCalledOff } from '../../runtime/send-check.ts';
import { cancelledError } from '../ask-http.ts';
import type { Connection, Notification } from '../notifier.ts';
import type { NotifierPorts } from '../ports.ts';
import { concernsSettings, toError } from './failure.ts';
import { address, type EmailOptions } from './options.ts';
import { renderMail } from './render.ts';
import { type MailThread, readReference, writeReference } from './thread.ts';

const cid = 'chart';

const announcesEnd: NonNullable<Connection['editPosts']> = (reference, { card, onlyEdit = false }) =>
  !onlyEdit && isOver(card) && !readReference(reference).endSent;

/** How far a mail has come. */
interface Progress {
  readonly signal: AbortSignal;
  /** Whether the server may have the end of the text. It drops a mail without an end. */
  isEnded: boolean;
}

/**
 * Passes the text of a mail on while it may be sent. Nothing is read from it before the server has accepted the addresses,
 * after a handshake of up to a minute.
 */
async function* passOn(text: AsyncIterable<Buffer>, progress: Progress) {
  if (isCalledOff(progress.signal)) throw new CalledOff();
  yield* text;
  if (isCalledOff(progress.signal)) throw new CalledOff();
  progress.isEnded = true;
}

/** Creates a connection to the SMTP server. The library is loaded at the first call. */
export async function transportOf({ host, port, user, password, tls, timeout }: EmailOptions) {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'start',
    ignoreTLS: tls === 'never',
    ...(user !== null && { auth: { user, pass: password?.reveal() ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // The content is text made here: no part of it is to be fetched or read from a file.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', ({ message, data }, done) => {
    const { progress } = data as { readonly progress?: Progress };
    if (progress !== undefined)
      message.processFunc((text) => Readable.from(passOn(text, progress), { objectMode: false }));
    done();
  });
  return transport;
}

/**
 * Opens a connection that sends mails: one when an alert begins, one when it gets worse and one when it ends, in one
 * thread. A delivered mail cannot be edited, so updates in between are left out. A resent mail has the same Message-ID,
 * so that mailboxes that check it show one mail. A later attempt with more content has another, because such mailboxes
 * would drop it.
 */
export function openNotifier(
  options: EmailOptions,
  { image, reportTokenRefused, reportTokenAccepted, wall }: NotifierPorts,
): Connection {
  const { host, from } = options;
  let opening: ReturnType<typeof transportOf> | undefined;
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? host;
  const idOf = (...parts: readonly string[]) => `<${parts.join('.').replace(/[^\w.-]/g, '')}@${domain}>`;

  const sendMail = async (
    { card }: Pick<Notification, 'card'>,
    {
      id,
      thread,
      to,
      signal,
    }: {
      readonly id: string;
      readonly thread?: MailThread | undefined;
      readonly to: unknown;
      readonly signal: AbortSignal;
    },
  ): Promise<string> => {
    const receiver = address.parse(to).to;
    // If the chart fails, the mail is sent without it.
    const picture = card.chart && (await image(card).catch(() => undefined));
    const { subject, text, html } = renderMail(card, picture && { cid, alt: picture.alt });
    if (isCalledOff(signal)) throw cancelledError(host);
    opening ??= transportOf(options);
    const transport = await opening;
    const progress: Progress = { signal, isEnded: false };
    try {
      const mail = {
        progress,
        from,
        to: receiver,
        // Mail programs add a mail to a thread if it replies to a mail of the thread and has the same subject.
        subject: thread === undefined ? subject : `Re: ${thread.subject}`,
        text,
        html,
        date: new Date(wall.now()),
        messageId: id,
        ...(thread !== undefined && { inReplyTo: thread.id, references: thread.id }),
        ...(card.severity === 'critical' && !isOver(card) && { priority: 'high' as const }),
        // Tells autoresponders (out-of-office replies) not to reply to this mail (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(picture !== undefined && {
          attachments: [{ filename: 'chart.png', content: Buffer.from(picture.png), cid }],
        }),
      };
      await transport.sendMail(mail);
    } catch (cause) {
      if (cause instanceof CalledOff)
        throw new DeliveryError(
          { kind: 'unavailable', accepted: 'no' },
          msg('sending was cancelled before it began'),
        );
      const error = toError(cause, { host, isEnded: progress.isEnded });
      if (concernsSettings(error)) reportTokenRefused(error.text);
      throw error;
    }
    reportTokenAccepted();
    return subject;
  };

  return {
    async send(notification, { address: to, signal }) {
      const { replyTo, version } = notification;
      const id = idOf(notification.id, version);
      const thread = replyTo === undefined ? undefined : readReference(replyTo);
      const subject = await sendMail(notification, { id, thread, to, signal });
      return writeReference({ ...(thread ?? { id, subject }), last: id, endSent: false });
    },
    editPosts: announcesEnd,
    async edit(reference, { notification, address: to, signal }) {
      if (!announcesEnd(reference, notification)) return reference;
      const thread = readReference(reference);
      const { id, version } = notification;
      await sendMail(notification, { id: idOf(id, version), thread, to, signal });
      return writeReference({ ...thread, endSent: true });
    },
    close: async () => (await opening)?.close(),
  };
}
