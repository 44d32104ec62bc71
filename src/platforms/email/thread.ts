/** Mails that answer one another: the first of them. */
export interface MailThread {
  /** Its Message-ID. */
  readonly id: string;
  readonly subject: string;
  /** The end was sent. */
  readonly over: boolean;
}

const ended = '!';

/** As text it is the reference the pipeline keeps. */
export const writeReference = ({ id, subject, over }: MailThread): string =>
  `${over ? ended : ''}${id} ${subject}`;

export function readReference(reference: string): MailThread {
  const over = reference.startsWith(ended);
  const rest = over ? reference.slice(ended.length) : reference;
  const space = rest.indexOf(' ');
  return { id: rest.slice(0, space), subject: rest.slice(space + 1), over };
}
