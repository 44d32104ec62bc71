import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { renderPage } from '../../card/render-json.ts';
import type { CallerOf } from './caller.ts';
import { draftRequest } from './ports/rule-desk.ts';
import type { WebPorts } from './ports.ts';

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
