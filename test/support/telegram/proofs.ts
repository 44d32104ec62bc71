import { createHash, createHmac } from 'node:crypto';
import { ada, token } from './double.ts';

/** What Telegram signs: as what, by whose token, of whom, when (Unix seconds), and what else. */
interface Signed {
  readonly by?: string;
  readonly user?: { readonly id: number; readonly first_name: string };
  readonly at: number;
  readonly more?: Readonly<Record<string, string>>;
}

export const keyOfApp = (of = token) => createHmac('sha256', 'WebAppData').update(of).digest();
export const keyOfLogin = (of = token) => createHash('sha256').update(of).digest();

/** Signs fields as Telegram does: `name=value` of all, sorted, joined by line breaks (Login Widget, "Checking authorization"). */
export function signed(fields: Readonly<Record<string, string>>, key: Buffer): string {
  const text = Object.keys(fields)
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('\n');
  const hash = createHmac('sha256', key).update(text).digest('hex');
  return String(new URLSearchParams({ ...fields, hash }));
}

/** What an app of Telegram's gives to a Mini App (`initData`). */
export const initData = ({ by = token, user = ada, at, more = {} }: Signed): string =>
  signed(
    { query_id: 'AA', user: JSON.stringify(user), auth_date: String(at), signature: 'x', ...more },
    keyOfApp(by),
  );

/** What Telegram's login adds to the query of the page. */
export const login = ({ by = token, user = ada, at, more = {} }: Signed): string =>
  signed(
    { id: String(user.id), first_name: user.first_name, auth_date: String(at), ...more },
    keyOfLogin(by),
  );

/** The same, as Telegram's page hands it over in the fragment. */
export function loginFragment(given: Signed): string {
  const { id, auth_date, ...rest } = Object.fromEntries(new URLSearchParams(login(given)));
  const json = JSON.stringify({ ...rest, id: Number(id), auth_date: Number(auth_date) });
  return `tgAuthResult=${Buffer.from(json).toString('base64url')}`;
}
