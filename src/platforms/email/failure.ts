import { z } from 'zod';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { minute } from '../../runtime/units.ts';

/** Wait after which a server that refused the password is tried again. */
const refusalPause = 10 * minute;

/** An error of nodemailer: its own code, the SMTP command that was sent, and the status of the server's reply. */
const mailError = z.object({
  code: z.string().optional(),
  command: z.string().optional(),
  responseCode: z.number().optional(),
  syscall: z.string().optional(),
});

export const notAccepted = msg(
  'the mail server does not accept the user or the password: set SMTP_USER and SMTP_PASSWORD and restart',
);

/** Codes of failures before any mail was sent. */
const unsentCodes = /^(EDNS|ETLS|EREQUIRETLS|ENOAUTH)$/;

/** Converts an error of nodemailer to a DeliveryError, which says what happens next. */
export function toError(cause: unknown, host: string): DeliveryError {
  const { data } = mailError.safeParse(cause);
  const { code = '', command = '', responseCode = 0, syscall } = data ?? {};
  const said = String(responseCode || code || 'nothing');
  const errorOf = (outcome: DeliveryFailure, text: Text) => new DeliveryError(outcome, text);
  if (code === 'ETLS')
    return errorOf(
      { kind: 'unavailable', accepted: 'no' },
      msg('{host} offers no encryption: check platforms.email.tls and the port; retrying', { host }),
    );
  if (code === 'EAUTH' && (responseCode === 0 || responseCode >= 500))
    return errorOf({ kind: 'rate_limited', retryAfter: refusalPause }, notAccepted);
  if (responseCode >= 500 && command === 'RCPT TO')
    return errorOf({ kind: 'missing' }, msg('{host} knows no such mailbox ({said})', { host, said }));
  // Without a reply, nodemailer itself did not send the mail, because it is larger than the server accepts.
  if (responseCode >= 500 || (responseCode === 0 && ['EENVELOPE', 'EMESSAGE'].includes(code)))
    return errorOf({ kind: 'rejected' }, msg('{host} refused the mail ({said})', { host, said }));
  if (responseCode >= 400)
    return errorOf(
      { kind: 'unavailable', accepted: 'no' },
      msg('{host} takes no mail for now ({said}); retrying', { host, said }),
    );
  return errorOf(
    { kind: 'unavailable', accepted: syscall === 'connect' || unsentCodes.test(code) ? 'no' : 'unknown' },
    msg('{host} gave no answer in time or broke off; retrying', { host }),
  );
}
