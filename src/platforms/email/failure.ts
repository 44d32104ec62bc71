import { z } from 'zod';
import { DeliveryError, type DeliveryFailure } from '../../language/errors.ts';
import { msg, type Text } from '../../language/text.ts';
import { hour, minute } from '../../runtime/units.ts';

/** Wait after which a server that refused the password or the sender is tried again. */
const refusalPause = 10 * minute;
/** Wait after which a server is tried again that takes no more mails on this day. */
const quotaPause = hour;

/** An error of nodemailer: its own code, the SMTP command that was sent, and the status of the server's reply. */
const mailError = z.object({
  code: z.string().optional(),
  command: z.string().optional(),
  responseCode: z.number().optional(),
  /** The server's reply. */
  response: z.string().optional(),
});

export const notAccepted = msg(
  'the mail server does not accept the user or the password: set SMTP_USER and SMTP_PASSWORD and restart',
);

/** Whether an error refuses every mail, because of the operator's settings. */
export const concernsSettings = ({ outcome }: DeliveryError): boolean =>
  outcome.kind === 'rate_limited' && outcome.retryAfter === refusalPause;

/** Status codes (RFC 3463) of Google and Microsoft for a quota of mails a day, which is refused as if for good. */
const quotaCodes = /^5\d\d[ -]5\.(4\.5|1\.90)\b/;
/** Commands before the first mail: a refusal of them concerns no mail. */
const openingCommands = /^(CONN|EHLO|HELO|STARTTLS)$/;

/**
 * Converts an error of nodemailer to a DeliveryError, which says what happens next.
 * @param isEnded whether the server may have the end of the mail
 */
export function toError(
  cause: unknown,
  { host, isEnded }: { readonly host: string; readonly isEnded: boolean },
): DeliveryError {
  const { data } = mailError.safeParse(cause);
  const { code = '', command = '', responseCode = 0, response = '' } = data ?? {};
  const said = String(responseCode || code || 'nothing');
  const errorOf = (outcome: DeliveryFailure, text: Text) => new DeliveryError(outcome, text);
  if (code === 'ETLS')
    return errorOf(
      { kind: 'unavailable', accepted: 'no' },
      msg('{host} offers no encryption: check platforms.email.tls and the port; retrying', { host }),
    );
  if (code === 'EAUTH' && (responseCode === 0 || responseCode >= 500))
    return errorOf({ kind: 'rate_limited', retryAfter: refusalPause }, notAccepted);
  if (responseCode === 530)
    return errorOf(
      { kind: 'rate_limited', retryAfter: refusalPause },
      msg('{host} asks for a login: check SMTP_USER, SMTP_PASSWORD and platforms.email.tls, and restart', {
        host,
      }),
    );
  if (quotaCodes.test(response))
    return errorOf(
      { kind: 'rate_limited', retryAfter: quotaPause },
      msg('{host} takes no more mails today ({said}); tried again every hour', { host, said }),
    );
  if (responseCode >= 500 && command === 'MAIL FROM' && responseCode !== 552)
    return errorOf(
      { kind: 'rate_limited', retryAfter: refusalPause },
      msg('{host} takes no mail from SMTP_FROM ({said}): set an address that it allows, and restart', {
        host,
        said,
      }),
    );
  if (responseCode >= 500 && command === 'RCPT TO')
    return errorOf({ kind: 'missing' }, msg('{host} knows no such mailbox ({said})', { host, said }));
  // Without a reply, nodemailer itself did not send the mail, because it is larger than the server accepts.
  if (
    (responseCode >= 500 && !openingCommands.test(command)) ||
    (responseCode === 0 && ['EENVELOPE', 'EMESSAGE'].includes(code))
  )
    return errorOf({ kind: 'rejected' }, msg('{host} refused the mail ({said})', { host, said }));
  if (responseCode >= 400)
    return errorOf(
      { kind: 'unavailable', accepted: 'no' },
      msg('{host} takes no mail for now ({said}); retrying', { host, said }),
    );
  return errorOf(
    { kind: 'unavailable', accepted: isEnded ? 'unknown' : 'no' },
    msg(
      '{host} gave no answer in time or broke off: if that goes on, check SMTP_HOST, SMTP_PORT and platforms.email.tls; retrying',
      { host },
    ),
  );
}
