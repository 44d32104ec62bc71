import {
  type BinaryOperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  SqliteQueryCompiler,
  TupleNode,
  ValueListNode,
  ValueNode,
} from 'kysely';

// A list of values in a condition is one parameter, so that a statement has one text however long the list is: each text is
// prepared anew, and a database takes only so many parameters.

/** `column in (…)` or `not in`, of values that are known; of several columns together a list of each one's. */
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

/** Up to so many SQLite looks up faster than it reads JSON. */
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
    // Each row is looked up by itself, whatever is guessed of how many rows one of the columns alone would find.
    this.append(list.isIn ? ' in (select * from unnest(' : ' not in (select * from unnest(');
    for (let column = 0; column < width; column += 1) {
      if (column > 0) this.append(', ');
      this.appendValue((list.values as readonly unknown[][]).map((row) => row[column]));
      this.append('::text[]');
    }
    this.append('))');
  }
}
