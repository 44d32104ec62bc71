import type { PresetName } from '../alert/presets.ts';
import type { CardJson } from '../card/render-json.ts';
import type { MemberPlace } from '../platforms/web/members.ts';
import type { PageCompletion, WebMessage } from '../platforms/web/message.ts';
import type { AlertLife, AlertRow } from '../platforms/web/ports/alert-feed.ts';
import type { DataCheckTable } from '../platforms/web/ports/data-check-table.ts';
import type { DestinationRow, GivenLook } from '../platforms/web/ports/destinations.ts';
import type { KeyDraft, KeyRow } from '../platforms/web/ports/key-desk.ts';
import type { PastSeries } from '../platforms/web/ports/past-series.ts';
import type { RecordTable } from '../platforms/web/ports/record-table.ts';
import type { Desk, Draft, DraftRequest, ReadWish } from '../platforms/web/ports/rule-desk.ts';
import type { SettingPreview, SettingRow, SettingValue } from '../platforms/web/ports/settings-desk.ts';
import type { PageConnecting } from '../platforms/web/serve-connecting.ts';
import type { NamedPlace } from '../shell/connecting.ts';
import { room } from './room.ts';
import { timeZone } from './time.ts';
import { language, msg } from './words.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Where a path of the API is: each request says which chat it is about, and in which zone its reader is. */
function addressOf(path: string, given: object = {}): string {
  const query = new URLSearchParams({ room, timeZone });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return `/api/${path}?${query}`;
}

async function request<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(60_000) }).catch(() => {
    throw new Error(msg('The bot could not be reached. It may be restarting: try again in a moment.'));
  });
  const body = await response.json().catch(() => ({}));
  // The token was changed, or the cookie has expired: the reloaded page asks for the token.
  if (response.status === 401 && !address.startsWith('/api/login?')) location.reload();
  // The language of this room was changed: the reloaded page is in the new language.
  if ((response.headers.get('content-language') ?? language) !== language) location.reload();
  if (response.ok) return body as Answer;
  // Questions need data; what is saved needs the database alone.
  if (response.status === 503 && init.method === undefined)
    throw new Error(msg('No data right now: the data service does not answer.'));
  throw new Error(
    typeof body.error === 'string'
      ? body.error
      : msg('The bot answered {status}.', { status: response.status }),
  );
}

const ask = <Answer>(path: string, query?: object): Promise<Answer> => request(addressOf(path, query), {});

const change = <Answer>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer> =>
  request(addressOf(path), {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });

export const enter = (token: string): Promise<unknown> => change('POST', 'login', { token });

/** Returns where to go to sign in by a platform. */
export const beginSignIn = async (platform: string): Promise<string> =>
  (await change<{ readonly url: string }>('POST', `sign-in/${platform}`, {})).url;
/** Signs in by what the platform gave. Returns where to go then. */
export const finishSignIn = async (
  platform: string,
  given: { readonly query: string; readonly fragment: string } | { readonly app: string },
): Promise<string> => {
  await change('POST', `sign-in/${platform}`, given);
  return '/';
};
export const readPlaces = (): Promise<readonly MemberPlace[]> => ask('places');

export const leave = (): Promise<unknown> => change('POST', 'logout', {});

/** Returns an id that is unique among this chat's messages. `randomUUID` exists only on secure origins. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36))
    .join('-')
    .padEnd(8, '0');

/** Runs a line as if it had been typed in the chat. */
export const runLine = (line: string, id = newId()): Promise<WebMessage> =>
  change('POST', 'commands', { id, line, room, timeZone });

/** Saves a draft. Throws what is wrong with it. */
export const saveDraft = (draft: DraftRequest): Promise<WebMessage> =>
  change('POST', 'rules', { id: newId(), draft, room, timeZone });

export const complete = (line: string): Promise<PageCompletion[]> => ask('complete', { line });

export const alertLife = (id: string): Promise<AlertLife<CardJson>> =>
  ask(`alerts/${encodeURIComponent(id)}`);

/** Returns the alerts that follow this one in the list, newest first. */
export const olderAlerts = (
  after: Pick<AlertRow, 'updatedAt' | 'id'> | undefined,
  limit: number,
): Promise<readonly AlertRow[]> =>
  ask('alerts/page', { limit, before: after && `${after.updatedAt},${after.id}` });

export const readSeries = (of: {
  readonly metric: string;
  readonly symbol: string | undefined;
  readonly days: number;
}): Promise<PastSeries> => ask('series', of);

/** The answer to a question, which is no message of the room. */
export const answerTo = (line: string): Promise<{ readonly card: CardJson; readonly refused: boolean }> =>
  ask('answers', { line });

/** Where the picture of an answer is, as chats get it. */
export const pictureOf = (line: string): string => addressOf('answers/picture', { line });

export const readWatchlist = (): Promise<readonly string[]> => ask('watchlist');

export const readDesk = (): Promise<Desk> => ask('rules');
export const readDataChecks = (): Promise<DataCheckTable | null> => ask('data-checks');
export const readRecord = (): Promise<RecordTable> => ask('record');

export const readConnecting = (): Promise<readonly PageConnecting[]> => ask('connecting');
export const connectPlatform = (
  name: string,
  options: Readonly<Record<string, string>>,
): Promise<PageConnecting> => change('PUT', `connecting/${name}`, { options });
export const disconnectPlatform = (name: string): Promise<PageConnecting> =>
  change('DELETE', `connecting/${name}`);
export const postSample = (name: string, place: NamedPlace): Promise<unknown> =>
  change('POST', `connecting/${name}/sample`, { place });
/** Subscribes a place to the standard alerts. */
export const beginAlerts = (name: string, place: NamedPlace): Promise<{ readonly said: string }> =>
  change('POST', `connecting/${name}/subscription`, { place });

export const readDestinations = (): Promise<readonly DestinationRow[]> => ask('destinations');
export const muteDestination = (
  receiver: DestinationRow['receiver'],
  on: boolean,
): Promise<{ readonly said: string }> => change('POST', 'destinations/mute', { receiver, on });
export const restyleSubscription = (
  receiver: DestinationRow['receiver'],
  given: { readonly id: string; readonly look: GivenLook },
): Promise<{ readonly said: string }> => change('POST', 'destinations/look', { receiver, ...given });
export const tryLook = (look: GivenLook): ReturnType<typeof answerTo> => change('POST', 'looks', { look });
export const testDestination = (receiver: DestinationRow['receiver']): Promise<unknown> =>
  change('POST', 'destinations/test', { receiver });

export const readKeys = (): Promise<readonly KeyRow[]> => ask('keys');
export const createKey = (draft: KeyDraft): Promise<{ readonly key: string }> =>
  change('POST', 'keys', draft);
export const revokeKey = (id: string): Promise<unknown> => change('DELETE', `keys/${id}`);

/** The key that a browser subscribes with; null: the bot sends to no browsers. */
export const readPushKey = (): Promise<{ readonly key: string | null }> => ask('push');
export const beginPush = (subscription: PushSubscriptionJSON, preset: PresetName): Promise<unknown> =>
  change('PUT', 'push', { subscription, preset });
export const endPush = (subscription: PushSubscriptionJSON): Promise<unknown> =>
  change('DELETE', 'push', { subscription });

export const readSettings = (): Promise<readonly SettingRow[]> => ask('settings');
export const changeSetting = (path: string, value: SettingValue): Promise<unknown> =>
  change('PUT', `settings/${encodeURIComponent(path)}`, { value });
export const takeBackSetting = (path: string): Promise<unknown> =>
  change('DELETE', `settings/${encodeURIComponent(path)}`);
/** Counts what a detector would have posted with this setting. Empty if the setting is of no detector. */
export const previewSetting = (path: string, value: SettingValue): Promise<Partial<SettingPreview>> =>
  change('POST', `settings/${encodeURIComponent(path)}/preview`, { value });

export const draftOf = (asked: DraftRequest): Promise<Draft<CardJson>> => ask('rules/draft', asked);
export const readWish = (sentence: string): Promise<ReadWish> => ask('rules/sentence', { sentence });
/** Returns a preview: the alerts that the rule would have sent, found by a replay that may take a minute. */
export const previewOf = (asked: DraftRequest): Promise<CardJson> => ask('rules/preview', asked);
