import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { severities } from '../../alert/alert.ts';
import { renderPage } from '../../card/render-json.ts';
import type { CallerOf } from './caller.ts';
import type { WebPorts } from './ports.ts';

/** A number, or one written in digits as in an address: of anything else, such as null, no number is made. */
const number = z.union([z.number(), z.string().trim().min(1).max(40).pipe(z.coerce.number())]);

export const draftRequest = z.object({
  metric: z.string().max(60).optional(),
  above: number.optional(),
  below: number.optional(),
  when: z.string().trim().min(1).max(400).optional(),
  clear: z.string().trim().min(1).max(400).optional(),
  symbols: z.string().max(200).optional(),
  for: z
    .string()
    .regex(/^\d{1,6}[smhd]$/)
    .optional(),
  severity: z.enum(severities).optional(),
  id: z.string().max(40).optional(),
  value: number.optional(),
});

const wish = z.object({ sentence: z.string().trim().min(1).max(200) });

/**
 * Serves the own alerts and presets, a draft of a new alert and a preview of what it would have sent, and the track
 * record. Nothing is changed.
 */
export function serveRules(
  app: FastifyInstance,
  { desk, record, callerOf }: { readonly callerOf: CallerOf } & Pick<WebPorts, 'desk' | 'record'>,
): void {
  app.get('/api/rules', async (request) => desk.read(await callerOf(request)));
  app.get('/api/rules/draft', async (request) => {
    const answer = await desk.draft(draftRequest.parse(request.query), await callerOf(request));
    return 'problem' in answer ? answer : { ...answer, card: renderPage(answer.card) };
  });
  app.get('/api/rules/sentence', async (request) =>
    desk.understand(wish.parse(request.query).sentence, await callerOf(request)),
  );
  app.get('/api/rules/preview', async (request) =>
    renderPage(await desk.preview(draftRequest.parse(request.query), await callerOf(request))),
  );
  app.get('/api/record', async (request) => record(await callerOf(request)));
}
