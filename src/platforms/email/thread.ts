/** A thread of mails: the first mail and its replies. */
export interface MailThread {
  /** Message-ID of the first mail. */
  readonly id: string;
  /** Message-ID of the latest mail that was posted. */
  readonly last: string;
  readonly subject: string;
  /** Whether the mail about the alert's end was sent. */
  readonly endSent: boolean;
}

const endMark = '!';

/**
 * Writes the thread as the reference that the pipeline stores: `<first><last> subject`, or `<first> subject` while
 * there is only one mail. A leading `!` means that the end was sent.
 */
export const writeReference = ({ id, last, subject, endSent }: MailThread): string =>
  `${endSent ? endMark : ''}${id}${last === id ? '' : last} ${subject}`;

export function readReference(reference: string): MailThread {
  const endSent = reference.startsWith(endMark);
  const rest = endSent ? reference.slice(endMark.length) : reference;
  const space = rest.indexOf(' ');
  const [id = '', last = id] = rest.slice(0, space).split(/(?=<)/);
  return { id, last, subject: rest.slice(space + 1), endSent };
}
