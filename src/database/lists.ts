import { type BinaryOperationNode, PostgresQueryCompiler, SqliteQueryCompiler } from 'kysely';

// A list of values in a condition is one parameter, so that a statement has one text however long the list is: each text is
// prepared anew, and a database takes only so many parameters.

/** `column in (…)` or `not in`, of values that are known. */
interface List {
  readonly left: BinaryOperationNode['leftOperand'];
  readonly isIn: boolean;
  readonly values: readonly unknown[];
}

function listOf({ leftOperand: left, operator, rightOperand: right }: BinaryOperationNode): List | undefined {
  if (!('operator' in operator) || !('values' in right) || right.kind !== 'PrimitiveValueListNode')
    return undefined;
  const isIn = operator.operator === 'in';
  if (!isIn && operator.operator !== 'not in') return undefined;
  return { left, isIn, values: right.values as readonly unknown[] };
}

/** Up to so many SQLite looks up faster than it reads JSON. */
const few = 4;

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

export class SqliteLists extends SqliteQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const list = listOf(node);
    if (list === undefined || list.values.length <= few || !list.values.every(isPlain)) {
      super.visitBinaryOperation(node);
      return;
    }
    this.visitNode(list.left);
    this.append(list.isIn ? ' in (select value from json_each(' : ' not in (select value from json_each(');
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
    this.append(list.isIn ? ' = any(' : ' <> all(');
    this.appendValue(list.values);
    this.append(')');
  }
}
