import { answerOf, type DemoApi, namedOr } from './demo-api.ts';

export type DemoRule = { rule: { id: string; keyword: string } };
type Rule = { id: string; name: string; status: string };

const path = '/v1/automation/rules';
const name = 'Price list';
const keyword = 'price';
const rule = {
  name,
  trigger: { type: 'keyword', match: 'contains', keywords: [keyword] },
  steps: [
    {
      id: 'answer',
      type: 'send_message',
      message: {
        type: 'text',
        text: { body: 'Hello {{ contact.name | default: "there" }}, a seat is 12 EUR a month. We call you with an offer.' },
      },
    },
    { id: 'mark', type: 'add_tag', tag: 'asked for prices' },
    { id: 'call', type: 'create_task', title: 'Call {{ contact.name }} with an offer', task_type: 'call', due_in: { hours: 4 } },
  ],
};

/** A live rule that answers a keyword. One that is there already is kept as it is, paused ones too. */
export async function prepareRule(where: DemoApi): Promise<DemoRule> {
  const { id, status } = await namedOr<Rule>(where, path, name, async () => rule);
  // An earlier start may have ended before it was published.
  if (status === 'draft') await answerOf(where, { method: 'POST', path: `${path}/${id}/publish`, body: {}, expected: 200 });
  return { rule: { id, keyword } };
}
