import { z } from 'zod';

/** The address of a server. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

/** Removes what would double the slash between an address and a path below it. */
export const withoutEndSlash = (url: string): string => url.replace(/\/+$/, '');
