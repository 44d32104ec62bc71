import {
  type BinaryOperationNode,
  InsertQueryNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
  TupleNode,
  ValueListNode,
  ValueNode,
  type ValuesNode,
} from 'kysely';

// A list of values in a condition is sent as one parameter, so that a statement has the same text however long the list is:
// each different text is prepared separately, and a database accepts a limited number of parameters.

/**
 * `column in (…)` or `not in`, with literal values. For several columns together, each value is a list with one value per
 * column.
 */
interface List {
  readonly left: BinaryOperationNode['leftOperand'];
  readonly isIn: boolean;
  readonly values: readonly unknown[];
}

function listOf({ leftOperand: left, operator, rightOperand: right }: BinaryOperationNode): List | undefined {
  if (!('operator' in operator)) return undefined;
  const isIn = operator.operator === 'in';
  if (!isIn && operator.operator !== 'not in') return undefined;
  if (PrimitiveValueListNode.is(right)) return { left, isIn, values: right.values };
  if (!ValueListNode.is(right)) return undefined;
  const rows = right.values.map((row) => (TupleNode.is(row) ? row.values.filter(ValueNode.is) : []));
  return rows.some(({ length }) => length === 0)
    ? undefined
    : { left, isIn, values: rows.map((row) => row.map(({ value }) => value)) };
}

const widthOf = ([first]: List['values']): number => (Array.isArray(first) ? first.length : 1);

/** Up to this many values are passed one by one, which SQLite looks up faster than it reads JSON. */
const few = 4;

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || (Array.isArray(value) && value.every(isPlain));

export class SqliteLists extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const list = listOf(node);
    if (list === undefined || list.values.length <= few || !list.values.every(isPlain)) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(list.left);
    const width = widthOf(list.values);
    const columns = Array.from({ length: width }, (_, at) => `value ->> ${at}`);
    this.append(list.isIn ? ' in (' : ' not in (');
    this.append(`select ${width === 1 ? 'value' : columns} from json_each(`);
    this.appendValue(JSON.stringify(list.values));
    this.append('))');
  }
}

export class PostgresLists extends PostgresQueryCompiler {
  protected override addParameter(parameter: unknown): void {
    super.addParameter(withoutNul(parameter));
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const list = listOf(node);
    if (list === undefined) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(list.left);
    const width = widthOf(list.values);
    if (width === 1) {
      this.append(list.isIn ? ' = any(' : ' <> all(');
      this.appendValue(list.values);
      this.append(')');
      return;
    }
    // This makes Postgres look up each row by itself, whatever it estimates that one of the columns alone would find.
    this.append(list.isIn ? ' in (select * from unnest(' : ' not in (select * from unnest(');
    for (let column = 0; column < width; column += 1) {
      if (column > 0) this.append(', ');
      this.appendValue((list.values as readonly unknown[][]).map((row) => row[column]));
      this.append('::text[]');
    }
    this.append('))');
  }

  /** Sends rows to insert as one parameter, too, and not as one for each of their values. */
  protected override visitValues(node: ValuesNode): void {
    const { parentNode: insert } = this;
    const json = node.values.length > few ? jsonOf(node, insert) : undefined;
    if (json === undefined || insert === undefined || !InsertQueryNode.is(insert)) {
      super.visitValues(node);
      return;
    }
    this.append('select ');
    this.compileList(insert.columns ?? []);
    this.append(' from json_populate_recordset(null::');
    if (insert.into !== undefined) this.visitNode(insert.into);
    this.append(', ');
    this.appendValue(json);
    this.append('::json)');
  }
}

/** Returns the rows as JSON objects by column; undefined if a value in them cannot be written as JSON. */
function jsonOf({ values }: ValuesNode, insert: OperationNode | undefined): string | undefined {
  if (insert === undefined || !InsertQueryNode.is(insert) || insert.columns === undefined) return undefined;
  const columns = insert.columns.map(({ column }) => column.name);
  const rows = values.map((row) => (PrimitiveValueListNode.is(row) ? row.values : [undefined]));
  if (!rows.every((row) => row.every(isJson))) return undefined;
  const of = (plain: (value: unknown) => unknown) =>
    JSON.stringify(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, plain(row[at])]))));
  const json = of(exact);
  // Postgres rejects half of a surrogate pair as text. It is replaced, as it would be in a parameter of its own.
  return json.includes('\\ud') || json.includes('\\u0000') ? of(storable) : json;
}

const isJson = (value: unknown): boolean =>
  value === null || ['string', 'boolean', 'bigint'].includes(typeof value) || Number.isFinite(value);

/** Ids may have more digits than a number in JSON can hold, so they are written as text, which Postgres reads, too. */
const exact = (value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

const storable = (value: unknown): unknown =>
  typeof value === 'string' ? withoutNul(value.toWellFormed()) : exact(value);

/** Replaces the character NUL, which no text of Postgres can hold: a statement with one, even a mere search, would fail. */
export function withoutNul(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
  return Array.isArray(value) ? value.map(withoutNul) : value;
}
