import { z } from 'zod';
import { timestamp } from './endpoint.ts';

/** `POST {site_url}/api/auth/login`. The interface does not show the form of the response; this form is our own. */
export const login = {
  path: '/api/auth/login',
  body: z.object({ email: z.email(), password: z.string().min(1) }),
  answer: z.object({ token: z.string(), expiresAt: timestamp }),
} as const;

/** The body of every error. An unknown pair has the text `Invalid symbol`. */
export const errorBody = z.object({ error: z.string() });
