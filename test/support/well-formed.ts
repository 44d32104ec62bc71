/** Whether no text in the value contains half a surrogate pair, which UTF-8 cannot encode. */
export const isWellFormed = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.isWellFormed()
    : typeof value !== 'object' || value === null || Object.values(value).every(isWellFormed);
