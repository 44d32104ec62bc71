import { expect, it } from 'vitest';
import { time } from '#src/language/format.ts';
import { msg } from '#src/language/text.ts';
import { change, receiver, start } from '#test/support/alerts.ts';
import { ownPipeline } from '#test/support/own-pipeline.ts';

it('each place gets messages in the language and time zone that it has chosen by the time of sending', async () => {
  const f = await ownPipeline();
  const names = ['english', 'spanish', 'tokyo'];
  for (const name of names) await f.subscribe({ receiver: receiver(name) });
  await f.store.preferences.set(receiver('spanish'), { language: 'es', theme: 'light' });
  await f.store.preferences.set(receiver('tokyo'), { timeZone: 'Asia/Tokyo' });
  const annotations = {
    title: msg('since {at}', { at: time(start) }),
    summary: '',
    facts: [],
    dataTime: start,
  };
  await f.report([change({ annotations })]);
  const card = (name: string) => f.sent.find(({ room }) => room === name)?.notification.card;
  expect(names.map((name) => card(name)?.title)).toEqual([
    'since 1 Jan 2026, 00:00 UTC',
    'since 1 ene 2026, 00:00 UTC',
    'since 1 Jan 2026, 09:00 GMT+9',
  ]);
  expect(card('spanish')?.reader).toEqual({ language: 'es', timeZone: 'UTC', theme: 'light' });
});
