import { answered } from '../answered.ts';
import type { Stack } from '../stack.ts';

const created = { type: 'event', event: 'contact.created' };
const named = (word: string) => ({ field: 'contact.name', operator: 'contains', value: word });
const wait = (id: string, seconds: number) => ({ id, type: 'wait', for: { seconds } });
const task = (id: string, title: string) => ({ id, type: 'create_task', title: `${title} {{ contact.name }}` });

/** `once`: three effects, and a call that must not be made twice. `again`: one that may. `later`: it waits. `heard`: it is begun by a message. */
const definitions = (url: string) => ({
  once: {
    trigger: created,
    steps: [
      { id: 'tag', type: 'add_tag', tag: 'seen' },
      task('task', 'Call'),
      { id: 'deal', type: 'create_deal', title: 'Deal with {{ contact.name }}', amount_minor: '100', currency_code: 'EUR' },
      { id: 'call', type: 'http_request', method: 'POST', url, body: { name: '{{ contact.name }}' } },
    ],
  },
  again: {
    trigger: created,
    conditions: named('again'),
    steps: [
      { id: 'call', type: 'http_request', method: 'PUT', url, body: { name: '{{ contact.name }}' }, idempotent: true },
      { id: 'tag', type: 'add_tag', tag: 'told' },
    ],
  },
  later: {
    trigger: created,
    conditions: named('later'),
    steps: [wait('first', 1), task('task', 'Ask'), wait('second', 2), { id: 'tag', type: 'add_tag', tag: 'asked' }],
  },
  heard: {
    trigger: { type: 'keyword', match: 'contains', keywords: ['hello'] },
    steps: [task('task', 'Answer')],
  },
  minutely: {
    trigger: { type: 'schedule', cron: '* * * * *' },
    // Where all people come at once its run waits behind theirs for minutes.
    concurrency: 'each',
    steps: [{ id: 'task', type: 'create_task', title: 'Look around', targets: [] }],
  },
});

export type RuleName = keyof ReturnType<typeof definitions>;

/** Their ids, live. */
export async function publishRules(stack: Stack, url: string): Promise<Record<RuleName, string>> {
  const ids: Record<string, string> = {};
  for (const [name, definition] of Object.entries(definitions(url))) {
    const made = await answered(stack, 'POST', '/v1/automation/rules', { name, ...definition });
    if (made.status !== 201) throw new Error(`rule ${name}: ${JSON.stringify(made.body)}`);
    ids[name] = String(made.body.id);
    const published = await answered(stack, 'POST', `/v1/automation/rules/${ids[name]}/publish`);
    if (published.status !== 200) throw new Error(`publish ${name}: ${JSON.stringify(published.body)}`);
  }
  return ids as Record<RuleName, string>;
}
