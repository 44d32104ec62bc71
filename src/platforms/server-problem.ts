import { Agent, request } from 'undici';
import { msg, type Text } from '../language/text.ts';

/** Tells whether a response has a certain meaning; `json` is undefined if the body is not JSON. */
type ResponseTest = (status: number, json: unknown) => boolean;

/**
 * Sends one request that posts nothing to a server. Returns the problem and its remedy, or null if there is none. Of the URL
 * only the host is shown, because the rest may contain a token.
 * @param timeout for the whole response, ms
 * @param isExpected tells whether a response is what the expected kind of server sends
 * @param isUnauthorized tells whether a response refuses the token or password
 */
export async function serverProblem(
  url: string,
  {
    headers,
    timeout,
    isExpected,
    isUnauthorized = (status) => status === 401 || status === 403,
    unauthorizedProblem,
    remedy,
  }: {
    readonly headers: Readonly<Record<string, string>>;
    readonly timeout: number;
    readonly isExpected: ResponseTest;
    readonly isUnauthorized?: ResponseTest;
    readonly unauthorizedProblem: Text;
    readonly remedy: Text;
  },
): Promise<Text | null> {
  const { host } = new URL(url);
  const agent = new Agent({ connect: { timeout: timeout / 2 } });
  const signal = AbortSignal.timeout(timeout);
  const findProblem = async (): Promise<Text | null> => {
    const { statusCode: status, body } = await request(url, { dispatcher: agent, headers, signal });
    const json = await body.json().catch(() => undefined);
    if (isExpected(status, json)) return null;
    if (isUnauthorized(status, json)) return unauthorizedProblem;
    return msg('{host} answered {status}: {what}', { host, status: String(status), what: remedy });
  };
  try {
    return await findProblem();
  } catch {
    return msg('{host} gives no answer: is the URL right, and the server up?', { host });
  } finally {
    await agent.destroy();
  }
}
