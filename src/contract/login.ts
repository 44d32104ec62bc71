import { z } from 'zod';
import { timestamp } from './endpoint.ts';

/** `POST {site_url}/api/auth/login`. The interface does not show the answer's form: this is ours. */
export const login = {
  path: '/api/auth/login',
  body: z.object({ email: z.email(), password: z.string().min(1) }),
  answer: z.object({ token: z.string(), expiresAt: timestamp }),
} as const;

/** Every error is this object; an unknown pair is `Invalid symbol`. */
export const errorBody = z.object({ error: z.string() });
