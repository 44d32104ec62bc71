import { iso } from '../../runtime/units.ts';
import type { CountedKey } from '../access/keys.ts';

/** What the page says of the action before it. */
export type AccountNotice =
  | { readonly problem: string }
  | { readonly done: string }
  /** The text of a new key, which is shown only now. */
  | { readonly key: string };

/** Mark-up. Values put into it by `html` are escaped, unless they are mark-up themselves. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Value = string | number | Markup | readonly Markup[];

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
function markupOf(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return String(value).replaceAll(/[&<>"]/g, (mark) => entities[mark] ?? mark);
}
const html = (parts: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(String.raw({ raw: parts }, ...values.map(markupOf)));

export const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
label { display: grid; gap: .25rem; flex: 1 1 14rem; max-width: 24rem; }
input, button { font: inherit; padding: .45rem .75rem; border: 1px solid GrayText; border-radius: .4rem; min-width: 0; }
button { cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: start; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid GrayText; vertical-align: top; }
.number { text-align: end; }
.notice code { overflow-wrap: anywhere; }
td code, time { white-space: nowrap; }
.notice { border: 1px solid; border-inline-start-width: .4rem; border-radius: .4rem; padding: .75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: center; }
`;

const page = (title: string, content: Markup): string =>
  markupOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main>${content}</main>
</body>
</html>
`);

function noticeHtml(notice: AccountNotice | undefined): Markup {
  if (notice === undefined) return html``;
  if ('problem' in notice) return html`<p class="notice" role="alert">${notice.problem}.</p>`;
  if ('done' in notice) return html`<p class="notice" role="status">${notice.done}.</p>`;
  return html`<div class="notice" role="status"><p>Your new key, shown only now. Keep it where no one else can read it:</p>
<p><code>${notice.key}</code></p><p>Programs send it in the header <code>X-API-Key</code>.</p></div>`;
}

export const signInHtml = (notice?: AccountNotice): string =>
  page(
    'Sign in',
    html`<h1>Sign in</h1>
${noticeHtml(notice)}
<form method="post"><input type="hidden" name="action" value="sign-in">
<label>Email <input type="email" name="email" autocomplete="username" required autofocus></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button></form>
<p>Accounts are made by the operator of this service.</p>`,
  );

interface AccountView {
  readonly account: string;
  /** Oldest first. */
  readonly keys: readonly CountedKey[];
  /** The limit of a key that has none of its own. */
  readonly limit: string;
}

export const accountHtml = ({ account, keys, limit }: AccountView, notice?: AccountNotice): string =>
  page(
    'Account settings',
    html`<header><h1>Account settings</h1>
<form method="post"><span>${account}</span><button name="action" value="sign-out">Sign out</button></form></header>
${noticeHtml(notice)}
<h2>API keys</h2>
${keys.length === 0 ? html`<p>You have no keys yet.</p>` : tableHtml(keys.toReversed(), limit)}
<h3>Create a key</h3>
<form method="post"><label>What is it for? <input name="name" maxlength="80" required autocomplete="off"></label>
<button name="action" value="create">Create key</button></form>`,
  );

const tableHtml = (keys: readonly CountedKey[], limit: string): Markup => html`<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Id</th><th scope="col">Created</th><th scope="col">Limit</th>
<th scope="col" class="number">Requests today</th><th scope="col" class="number">In 30 days</th><th scope="col">State</th></tr></thead>
<tbody>${keys.map(
  (
    key,
  ) => html`<tr><th scope="row">${key.name}</th><td><code>${key.id}</code></td><td>${dateHtml(key.createdAt)}</td>
<td>${key.requestLimit ?? limit}</td><td class="number">${key.today}</td><td class="number">${key.month}</td>
<td>${stateHtml(key)}</td></tr>`,
)}</tbody></table></div>
<p>Days are UTC. The requests of the last minute may not be counted yet.</p>`;

const dateHtml = (time: number): Markup =>
  html`<time datetime="${iso(time)}">${iso(time).slice(0, 10)}</time>`;

const stateHtml = ({ id, name, revokedAt }: CountedKey): Markup =>
  revokedAt === null
    ? html`<details><summary>Valid: revoke</summary><form method="post"><input type="hidden" name="id" value="${id}">
<p>Programs that use it are refused at once.</p>
<button name="action" value="revoke" aria-label="Revoke ${name}">Revoke for good</button></form></details>`
    : html`Revoked ${dateHtml(revokedAt)}`;
