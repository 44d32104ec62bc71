/**
 * Returns the weights of the columns that best predict the rows' values, by weighted least squares. A ridge of a
 * millionth makes equivalent columns share their weight.
 */
export function leastSquares(
  rows: readonly (readonly number[])[],
  values: ArrayLike<number>,
  weightOf: (row: number) => number,
): number[] {
  const width = rows[0]?.length ?? 0;
  const matrix = Array.from({ length: width }, () => new Float64Array(width + 1));
  for (const [index, row] of rows.entries()) {
    const weight = weightOf(index);
    for (let a = 0; a < width; a += 1) {
      const line = matrix[a] as Float64Array;
      const cell = weight * (row[a] ?? 0);
      for (let b = 0; b < width; b += 1) line[b] = (line[b] ?? 0) + cell * (row[b] ?? 0);
      line[width] = (line[width] ?? 0) + cell * (values[index] ?? 0);
    }
  }
  for (const [index, line] of matrix.entries()) line[index] = (line[index] ?? 0) * (1 + 1e-6) + 1e-12;
  return solved(matrix);
}

/** Solves a linear system by Gauss-Jordan elimination. The matrix is positive definite, so no pivoting is needed. */
function solved(matrix: readonly Float64Array[]): number[] {
  const width = matrix.length;
  for (const [index, line] of matrix.entries()) {
    const pivot = line[index] as number;
    for (let column = 0; column <= width; column += 1) line[column] = (line[column] as number) / pivot;
    for (const other of matrix) {
      if (other === line) continue;
      const times = other[index] as number;
      if (times === 0) continue;
      for (let column = index; column <= width; column += 1)
        other[column] = (other[column] as number) - times * (line[column] as number);
    }
  }
  return matrix.map((line) => line[width] as number);
}
