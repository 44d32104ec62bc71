/** Mails that answer the first of them. */
export interface MailThread {
  /** The first's Message-ID. */
  readonly id: string;
  /** The Message-ID of the latest that was posted. */
  readonly last: string;
  readonly subject: string;
  /** The end was sent. */
  readonly over: boolean;
}

const ended = '!';

/** As text it is the reference the pipeline keeps: `<first><last> subject`, or `<first> subject` while that stands alone. */
export const writeReference = ({ id, last, subject, over }: MailThread): string =>
  `${over ? ended : ''}${id}${last === id ? '' : last} ${subject}`;

export function readReference(reference: string): MailThread {
  const over = reference.startsWith(ended);
  const rest = over ? reference.slice(ended.length) : reference;
  const space = rest.indexOf(' ');
  const [id = '', last = id] = rest.slice(0, space).split(/(?=<)/);
  return { id, last, subject: rest.slice(space + 1), over };
}
