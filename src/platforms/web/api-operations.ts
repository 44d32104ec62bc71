import { z } from 'zod';
import { UserError } from '../../language/errors.ts';
import type { JsonObjectSchema } from '../../runtime/mcp.ts';
import { iso } from '../../runtime/units.ts';
import type { Caller } from '../../shell/command.ts';
import { changeOperations } from './api-changes.ts';
import { type ApiData, apiItems, type Scope } from './ports/api.ts';
import type { WebPorts } from './ports.ts';

export type ApiPorts = Pick<WebPorts, 'api' | 'feed' | 'reader'>;

export interface ApiRequest {
  readonly caller: Caller;
  /** The query as received; `query` of the operation parses it. */
  readonly query: unknown;
  readonly id: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One operation of the HTTP API. Its route and its description are derived from it. */
export interface ApiOperation {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The path below /api/v1, with `{id}` if the operation concerns one record. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly scope: Scope;
  readonly query: z.ZodObject;
  /** Of a change: what it is given. */
  readonly body?: JsonObjectSchema | undefined;
  readonly answer: z.ZodType;
  /** @throws UserError */
  run(request: ApiRequest): Promise<unknown>;
}

/** Query parameters of every list. */
const paging = {
  limit: z.coerce.number().int().min(1).max(200).default(50),
  /** `next` of the previous page. */
  cursor: z.string().max(300).optional(),
};

const invalidCursor = 'cursor: give the "next" of the page before';

type Key = readonly [at: number | string, id: string];

/** Returns where the next page begins, whatever is added or removed meanwhile; null if this page is the last. */
function nextCursor<Row>(
  rows: readonly Row[],
  { limit, of }: { readonly limit: number; readonly of: (row: Row) => Key },
): string | null {
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return null;
  return Buffer.from(JSON.stringify(of(last).map(String))).toString('base64url');
}

const key = z.tuple([z.string().max(40), z.string().max(100)]);
const timedKey = z.tuple([z.coerce.number().int().min(0), z.string().regex(/^[0-9a-z-]{1,80}$/)]);

/**
 * Parses a cursor that `nextCursor` has made.
 * @throws UserError if it is not such a cursor
 */
const cursorOf = (text: string): readonly [at: string, id: string] => parseCursor(key, text);

const timedCursorOf = (text: string): readonly [at: number, id: string] => parseCursor(timedKey, text);

function parseCursor<Known>(schema: z.ZodType<Known>, text: string): Known {
  try {
    return schema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch (cause) {
    throw new UserError(invalidCursor, { cause });
  }
}

const page = (record: z.ZodType) => z.object({ data: z.array(record), next: z.string().nullable() });

export function apiOperations(ports: ApiPorts): readonly ApiOperation[] {
  return [
    alerts(ports),
    deliveries(ports),
    record(ports),
    listOperation(ports, { of: 'subscriptions', what: 'subscription', since: ({ createdAt }) => createdAt }),
    listOperation(ports, { of: 'rules', what: 'rule', since: ({ createdAt }) => createdAt }),
    listOperation(ports, { of: 'silences', what: 'silence', since: ({ startsAt }) => startsAt }),
    ...changeOperations(ports),
  ];
}

const readOperation = { method: 'get', scope: 'read' } as const;

function alerts({ feed, reader }: ApiPorts): ApiOperation {
  const query = z.strictObject({
    ...paging,
    kind: z.string().max(60).optional(),
    firing: z.stringbool().default(false),
  });
  return {
    ...readOperation,
    path: '/alerts',
    id: 'alerts',
    summary: 'Alerts that this place may see, the latest change first',
    query,
    answer: page(apiItems.alert),
    async run({ caller, query: received }) {
      const { limit, cursor, kind, firing } = query.parse(received);
      const [updatedAt = 0, id = ''] = cursor === undefined ? [] : timedCursorOf(cursor);
      const before = cursor === undefined ? undefined : { updatedAt, id };
      const viewer = { receiver: caller.receiver, reader: await reader(caller), seesAllPlaces: false };
      const rows = await feed.page(viewer, { limit, before, kind, firing });
      const data = rows.map(({ groupName: _, groupRow: __, startsAt, updatedAt, endsAt, ...row }) => ({
        ...row,
        startsAt: iso(startsAt),
        updatedAt: iso(updatedAt),
        endsAt: endsAt === null ? null : iso(endsAt),
      }));
      return { data, next: nextCursor(rows, { limit, of: (row) => [row.updatedAt, row.id] }) };
    },
  };
}

function deliveries({ api }: ApiPorts): ApiOperation {
  const query = z.strictObject(paging);
  return {
    ...readOperation,
    path: '/deliveries',
    id: 'deliveries',
    summary: 'What became of each alert here: sent, edited, held back or failed, and why; newest first',
    query,
    answer: page(apiItems.delivery),
    async run({ caller, query: received }) {
      const { limit, cursor } = query.parse(received);
      const [at = 0, id = ''] = cursor === undefined ? [] : timedCursorOf(cursor);
      if (cursor !== undefined && !isRowId(id)) throw new UserError(invalidCursor);
      const before = cursor === undefined ? undefined : { at, id };
      const rows = await api.deliveries(caller.receiver, { before, limit });
      return { data: rows, next: nextCursor(rows, { limit, of: (row) => [Date.parse(row.at), row.id] }) };
    },
  };
}

/** The largest id that a database gives. */
const maxRowId = 2n ** 63n - 1n;
const isRowId = (text: string): boolean => /^\d{1,19}$/.test(text) && BigInt(text) <= maxRowId;

function record({ api }: ApiPorts): ApiOperation {
  const query = z.strictObject({
    kind: z.string().max(60).optional(),
    symbol: z.string().trim().toUpperCase().max(30).optional(),
  });
  return {
    ...readOperation,
    path: '/record',
    id: 'record',
    summary:
      'What the price did after posted alerts, beside what it usually does; past moves, never a forecast',
    query,
    answer: page(apiItems.score),
    run: async ({ query: received }) => ({ data: await api.scores(query.parse(received)), next: null }),
  };
}

type ListName = 'subscriptions' | 'rules' | 'silences';

function listOperation<Of extends ListName>(
  { api }: ApiPorts,
  {
    of,
    what,
    since,
  }: {
    readonly of: Of;
    readonly what: keyof typeof apiItems;
    readonly since: (row: Awaited<ReturnType<ApiData[Of]>>[number]) => string;
  },
): ApiOperation {
  type Row = Awaited<ReturnType<ApiData[Of]>>[number];
  const query = z.strictObject(paging);
  return {
    ...readOperation,
    path: `/${of}`,
    id: of,
    summary: `The ${of} of this place, oldest first`,
    query,
    answer: page(apiItems[what]),
    async run({ caller, query: received }) {
      const { limit, cursor } = query.parse(received);
      const keyOf = (row: Row): [string, string] => [since(row), row.id];
      const after = cursor === undefined ? undefined : cursorOf(cursor);
      const rows = ((await api[of](caller.receiver)) as Row[])
        .map((row) => ({ row, key: keyOf(row).join(' ') }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .filter(({ key }) => after === undefined || key > after.join(' '))
        .slice(0, limit)
        .map(({ row }) => row);
      return { data: rows, next: nextCursor(rows, { limit, of: keyOf }) };
    },
  };
}
