/** Lengths of time in ms. This file imports nothing, because the page uses it too. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;
