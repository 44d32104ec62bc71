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
import type { CompleteDraft, Desk, DraftRequest, ReadWish } from '../platforms/web/ports/rule-desk.ts';
import type { SettingPreview, SettingRow, SettingValue } from '../platforms/web/ports/settings-desk.ts';
import type { PageConnecting } from '../platforms/web/serve-connecting.ts';
import type { NamedPlace } from '../shell/connecting.ts';
import { room } from './room.ts';
import { timeZone } from './time.ts';
import { language, msg } from './words.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function ask<Answer>(path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(path, { ...init, signal: AbortSignal.timeout(60_000) }).catch(() => {
    throw new Error(msg('The bot could not be reached. It may be restarting: try again in a moment.'));
  });
  const body = await response.json().catch(() => ({}));
  // The token was changed, or the cookie has expired: the reloaded page asks for the token.
  if (response.status === 401 && path !== '/api/login') location.reload();
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

const changing = (method: 'POST' | 'PUT' | 'DELETE', body?: object): RequestInit => ({
  method,
  ...(body !== undefined && {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }),
});

export const enter = (token: string): Promise<unknown> => ask('/api/login', changing('POST', { token }));

/** Returns where to go to sign in by a platform. */
export const beginSignIn = async (platform: string): Promise<string> =>
  (await ask<{ readonly url: string }>(`/api/sign-in/${platform}`, changing('POST', {}))).url;
/** Signs in by what the platform gave. Returns where to go then. */
export const finishSignIn = async (
  platform: string,
  given: { readonly query: string; readonly fragment: string } | { readonly app: string },
): Promise<string> => {
  await ask(`/api/sign-in/${platform}`, changing('POST', given));
  return '/';
};
export const readPlaces = (): Promise<readonly MemberPlace[]> => ask('/api/places');

export const leave = (): Promise<unknown> => ask('/api/logout', changing('POST', {}));

export const runLine = ({
  id,
  line,
  room,
}: {
  readonly id: string;
  readonly line: string;
  readonly room: string;
}): Promise<WebMessage> => ask('/api/commands', changing('POST', { id, line, room, timeZone }));

/** Saves a draft. Throws what is wrong with it. */
export const saveDraft = (id: string, draft: DraftRequest): Promise<WebMessage> =>
  ask('/api/rules', changing('POST', { id, draft, room, timeZone }));

export const complete = (line: string, room: string): Promise<PageCompletion[]> =>
  ask(`/api/complete?${new URLSearchParams({ line, room })}`);

/** The details of an alert as the server sends them: cards are JSON. */
interface AlertLifeJson extends Omit<AlertLife, 'card' | 'after'> {
  readonly card: CardJson;
  readonly after?: CardJson;
}

export const alertLife = (id: string): Promise<AlertLifeJson> =>
  ask(`/api/alerts/${encodeURIComponent(id)}?${new URLSearchParams({ room, timeZone })}`);

/** Returns the alerts that follow this one in the list, newest first. */
export const olderAlerts = (
  after: Pick<AlertRow, 'updatedAt' | 'id'> | undefined,
  limit: number,
): Promise<readonly AlertRow[]> => {
  const query = new URLSearchParams({ room, timeZone, limit: String(limit) });
  if (after !== undefined) query.set('before', `${after.updatedAt},${after.id}`);
  return ask(`/api/alerts/page?${query}`);
};

const queryOf = (given: object): URLSearchParams => {
  const query = new URLSearchParams({ room, timeZone });
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, String(value));
  return query;
};

export const readSeries = (of: {
  readonly metric: string;
  readonly symbol: string | undefined;
  readonly days: number;
}): Promise<PastSeries> => ask(`/api/series?${queryOf(of)}`);

/** The answer to a question, which is no message of the room. */
export const answerTo = (line: string): Promise<{ readonly card: CardJson; readonly refused: boolean }> =>
  ask(`/api/answers?${queryOf({ line })}`);

/** Where the picture of an answer is, as chats get it. */
export const pictureOf = (line: string): string => `/api/answers/picture?${queryOf({ line })}`;

export const readWatchlist = (): Promise<readonly string[]> => ask(`/api/watchlist?${queryOf({})}`);

export const readDesk = (): Promise<Desk> => ask(`/api/rules?${queryOf({})}`);
export const readDataChecks = (): Promise<DataCheckTable | null> => ask(`/api/data-checks?${queryOf({})}`);
export const readRecord = (): Promise<RecordTable> => ask(`/api/record?${queryOf({})}`);

export const readConnecting = (): Promise<readonly PageConnecting[]> => ask(`/api/connecting?${queryOf({})}`);

const connectingPath = (name: string, part = ''): string => `/api/connecting/${name}${part}?${queryOf({})}`;

export const connectPlatform = (
  name: string,
  options: Readonly<Record<string, string>>,
): Promise<PageConnecting> => ask(connectingPath(name), changing('PUT', { options }));
export const disconnectPlatform = (name: string): Promise<PageConnecting> =>
  ask(connectingPath(name), changing('DELETE'));
export const postSample = (name: string, place: NamedPlace): Promise<unknown> =>
  ask(connectingPath(name, '/sample'), changing('POST', { place }));
/** Subscribes a place to the standard alerts. */
export const beginAlerts = (name: string, place: NamedPlace): Promise<{ readonly said: string }> =>
  ask(connectingPath(name, '/subscription'), changing('POST', { place }));

export const readDestinations = (): Promise<readonly DestinationRow[]> =>
  ask(`/api/destinations?${queryOf({})}`);
export const muteDestination = (
  receiver: DestinationRow['receiver'],
  on: boolean,
): Promise<{ readonly said: string }> =>
  ask(`/api/destinations/mute?${queryOf({})}`, changing('POST', { receiver, on }));
export const restyleSubscription = (
  receiver: DestinationRow['receiver'],
  given: { readonly id: string; readonly look: GivenLook },
): Promise<{ readonly said: string }> =>
  ask(`/api/destinations/look?${queryOf({})}`, changing('POST', { receiver, ...given }));
export const tryLook = (look: GivenLook): ReturnType<typeof answerTo> =>
  ask(`/api/looks?${queryOf({})}`, changing('POST', { look }));
export const testDestination = (receiver: DestinationRow['receiver']): Promise<unknown> =>
  ask(`/api/destinations/test?${queryOf({})}`, changing('POST', { receiver }));

export const readKeys = (): Promise<readonly KeyRow[]> => ask(`/api/keys?${queryOf({})}`);
export const createKey = (draft: KeyDraft): Promise<{ readonly key: string }> =>
  ask(`/api/keys?${queryOf({})}`, changing('POST', draft));
export const revokeKey = (id: string): Promise<unknown> =>
  ask(`/api/keys/${id}?${queryOf({})}`, changing('DELETE'));

/** The key that a browser subscribes with; null: the bot sends to no browsers. */
export const readPushKey = (): Promise<{ readonly key: string | null }> => ask(`/api/push?${queryOf({})}`);
export const beginPush = (subscription: PushSubscriptionJSON, preset: PresetName): Promise<unknown> =>
  ask(`/api/push?${queryOf({})}`, changing('PUT', { subscription, preset }));
export const endPush = (subscription: PushSubscriptionJSON): Promise<unknown> =>
  ask(`/api/push?${queryOf({})}`, changing('DELETE', { subscription }));

export const readSettings = (): Promise<readonly SettingRow[]> => ask(`/api/settings?${queryOf({})}`);
export const changeSetting = (path: string, value: SettingValue | undefined): Promise<unknown> =>
  ask(
    `/api/settings/${encodeURIComponent(path)}?${queryOf({})}`,
    value === undefined ? changing('DELETE') : changing('PUT', { value }),
  );
/** Counts what a detector would have posted with this setting. Empty if the setting is of no detector. */
export const previewSetting = (path: string, value: SettingValue): Promise<Partial<SettingPreview>> =>
  ask(`/api/settings/${encodeURIComponent(path)}/preview?${queryOf({})}`, changing('POST', { value }));

/** A draft as the server sends it: the card is JSON. */
export type DraftJson =
  | (Omit<CompleteDraft, 'card'> & { readonly card: CardJson })
  | { readonly problem: string };

export const draftOf = (asked: DraftRequest): Promise<DraftJson> => ask(`/api/rules/draft?${queryOf(asked)}`);
export const readWish = (sentence: string): Promise<ReadWish> =>
  ask(`/api/rules/sentence?${queryOf({ sentence })}`);
/** Returns a preview: the alerts that the rule would have sent, found by a replay that may take a minute. */
export const previewOf = (asked: DraftRequest): Promise<CardJson> =>
  ask(`/api/rules/preview?${queryOf(asked)}`);
