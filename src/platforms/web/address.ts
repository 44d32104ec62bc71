import { z } from 'zod';

export const address = z.strictObject({
  room: z.string().regex(/^[a-z0-9-]{1,40}$/, 'a room such as "main"'),
});
