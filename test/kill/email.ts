import { startSmtp } from '#test/support/smtp.ts';
import type { Ends, Hear } from './ends.ts';
import { wishes } from './storm.ts';

const domain = 'example.org';

/** Starts a mail server with a mailbox for each entry of `wishes`. A mail is identified by its Message-ID. */
export async function mailEnds(): Promise<Ends> {
  let hear: Hear | undefined;
  const { server, port, user, password, close } = await startSmtp({
    mailboxes: Object.keys(wishes).map((name) => `${name}@${domain}`),
    taken({ to, headers, text }, { socket, answer }) {
      const receiver = to.replace(`@${domain}`, '');
      const key = headers.get('message-id') ?? '';
      void hear?.(socket, { arrival: { notifier: 'email', receiver, key, body: text, act: 'post' }, answer });
    },
  });
  const from = `Tocsin <alerts@${domain}>`;
  return {
    notifiers: () => ({ email: { host: '127.0.0.1', port, user, password, from, tls: 'never' } }),
    receivers: (name) => [{ notifier: 'email', address: { to: `${name}@${domain}` } }],
    take: () => ({ status: 404, body: '' }),
    server(heard) {
      hear = heard;
      return server;
    },
    close,
  };
}
