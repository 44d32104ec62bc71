/** Lengths of time in ms. Nothing is loaded with them: the page has them too. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
