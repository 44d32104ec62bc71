import { createServer, type Socket } from 'node:net';
import { onLoopback } from './loopback.ts';

export interface Received {
  readonly from: string;
  readonly to: string;
  /** Header values, unfolded and decoded, by name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** The plain-text part. */
  readonly text: string;
  readonly html: string;
  readonly pictures: number;
}

export type SmtpStep = 'GREETING' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'MESSAGE';

/** Headers that a mail must have exactly once (RFC 5322 §3.6). */
const once1 = ['from', 'to', 'subject', 'date', 'message-id'];

/**
 * Starts a mail server on loopback without encryption, with one user and the given mailboxes. Refuses what breaks RFC 5321 or
 * 5322. `instead`: other replies to single steps; null hangs up. `taken`: called with each stored mail, must call `answer`.
 */
export async function startSmtp({
  user = 'tocsin',
  password = 'correct-horse-battery',
  mailboxes,
  instead = {},
  taken = (_, { answer }) => answer(),
}: {
  readonly user?: string;
  readonly password?: string;
  readonly mailboxes: readonly string[];
  readonly instead?: Partial<Record<SmtpStep, string | null>>;
  readonly taken?: (mail: Received, by: { readonly socket: Socket; answer(): void }) => void;
}) {
  const mails: Received[] = [];
  const sockets = new Set<Socket>();
  const credentials = Buffer.from(`\0${user}\0${password}`).toString('base64');

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    const say = (step: SmtpStep | undefined, line: string) => {
      const other = step === undefined ? undefined : instead[step];
      if (other === null) socket.destroy();
      else socket.write(`${other ?? line}\r\n`);
      return other === undefined;
    };
    const state = {
      known: false,
      from: undefined as string | undefined,
      to: undefined as string | undefined,
      data: false,
    };
    let waiting = '';
    const commands: Record<string, (rest: string) => void> = {
      EHLO: () =>
        socket.write('250-smtp.example.org\r\n250-SIZE 1000000\r\n250-8BITMIME\r\n250 AUTH PLAIN\r\n'),
      AUTH(rest) {
        const right = rest === `PLAIN ${credentials}`;
        state.known = say('AUTH', right ? '235 2.7.0 accepted' : '535 5.7.8 credentials invalid') && right;
      },
      MAIL(rest) {
        const from = /^FROM:<([^<>]+)>/i.exec(rest)?.[1];
        const reply = !state.known
          ? '530 5.7.0 authentication required'
          : from === undefined
            ? '501 5.5.4 syntax'
            : '250 ok';
        if (say('MAIL', reply) && reply === '250 ok') state.from = from;
      },
      RCPT(rest) {
        const to = /^TO:<([^<>]+)>/i.exec(rest)?.[1] ?? '';
        const known = mailboxes.includes(to);
        const reply =
          state.from === undefined ? '503 5.5.1 MAIL first' : known ? '250 ok' : '550 5.1.1 no such mailbox';
        if (say('RCPT', reply) && reply === '250 ok') state.to = to;
      },
      DATA() {
        state.data =
          say('DATA', state.to === undefined ? '503 5.5.1 RCPT first' : '354 go on') &&
          state.to !== undefined;
      },
      QUIT: () => void socket.end('221 bye\r\n'),
      RSET: () => void socket.write('250 ok\r\n'),
    };
    const take = (raw: string) => {
      const { from = '', to = '' } = state;
      Object.assign(state, { from: undefined, to: undefined, data: false });
      const problem = problemOf(raw);
      if (problem !== undefined) return void say(undefined, `554 5.6.0 ${problem}`);
      // The mail is stored before the client gets the reply.
      const mail = { from, to, ...readMail(raw.replace(/^\./gm, '')) };
      mails.push(mail);
      taken(mail, { socket, answer: () => say('MESSAGE', '250 2.0.0 queued') });
    };
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      waiting += chunk;
      for (;;) {
        const end = waiting.indexOf(state.data ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const piece = waiting.slice(0, end);
        waiting = waiting.slice(end + (state.data ? 5 : 2));
        if (state.data) take(piece);
        else {
          const [verb = '', ...rest] = piece.split(' ');
          const command = commands[verb.toUpperCase()];
          if (command === undefined) say(undefined, '502 5.5.2 command not recognized');
          else command(rest.join(' '));
        }
      }
    });
    say('GREETING', '220 smtp.example.org ESMTP');
  });
  const { port, close } = await onLoopback(server);
  return {
    ...{ user, password },
    server,
    port,
    mails: mails as readonly Received[],
    async close() {
      for (const socket of sockets) socket.destroy();
      await close();
    },
  };
}

function problemOf(raw: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n');
  if (/[^\r]\n|\r[^\n]/.test(raw)) return 'a bare CR or LF';
  if (raw.split('\r\n').some((line) => line.length > 998)) return 'a line is too long';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  if (/[^\x09\x0a\x0d\x20-\x7e]/.test(head)) return 'a header holds what is not ASCII';
  const names = head
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')
    .map((line) => line.split(':')[0]?.toLowerCase());
  const wrong = once1.find((name) => names.filter((each) => each === name).length !== 1);
  return wrong && `${wrong} must stand once`;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return bytesOf(body).toString('utf8');
  const plain = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return bytesOf(plain).toString('utf8');
}

/** Decodes the encoded words of a header (RFC 2047). */
const words = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('latin1')
        : word
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    );

function parsed(raw: string) {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [
        line.slice(0, colon).toLowerCase(),
        bytesOf(words(line.slice(colon + 1).trim())).toString('utf8'),
      ] as const;
    }),
  );
  return { headers, body: raw.slice(end + 4) };
}

function readMail(raw: string): Pick<Received, 'headers' | 'text' | 'html' | 'pictures'> {
  const { headers } = parsed(raw);
  const leaves = leavesOf(raw);
  const of = (type: string) => leaves.filter(({ headers: own }) => own.get('content-type')?.startsWith(type));
  const textOf = (type: string) =>
    of(type).map(({ headers: own, body }) =>
      decoded(body, own.get('content-transfer-encoding')).replaceAll('\r\n', '\n'),
    )[0];
  return {
    headers,
    text: textOf('text/plain') ?? '',
    html: textOf('text/html') ?? '',
    pictures: of('image/png').length,
  };
}

function leavesOf(raw: string): ReturnType<typeof parsed>[] {
  const part = parsed(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(part.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) return [part];
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((each) => leavesOf(each.replace(/^\r\n/, '')));
}
