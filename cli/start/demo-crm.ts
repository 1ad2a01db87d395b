import { answerOf, type DemoApi, firstOr } from './demo-api.ts';

type Item = { id: string };
export type DemoCrm = { pipeline: { id: string; stage_id: string }; deal: Item; company: Item; task: Item };

type About = { conversationId: string; contactId: string };
type Pipeline = Item & { stages: { id: string; kind: string }[] };

const companies = '/v1/crm/object-types/company/records';

/** A pipeline, a deal of the demo's conversation, the company it is with, and a task about them. What is there already is kept. */
export async function prepareCrm(where: DemoApi, { conversationId, contactId }: About): Promise<DemoCrm> {
  const ofConversation = `/v1/conversations/${conversationId}`;
  const pipeline = await firstOr<Pipeline>(where, '/v1/crm/pipelines', { name: 'Sales' });
  const deal = await firstOr<Item>(where, `${ofConversation}/deals`, {
    title: 'Twenty seats',
    amount_minor: '240000',
    currency_code: 'EUR',
  });
  const company = await firstOr<Item>(where, companies, { fields: { name: 'Example Ltd', domain: 'example.test' } });
  for (const link of [`contacts/${contactId}`, `deals/${deal.id}`])
    await answerOf(where, { method: 'PUT', path: `${companies}/${company.id}/relations/${link}`, expected: 200 });
  const task = await firstOr<Item>(
    where,
    `${ofConversation}/tasks`,
    {
      title: 'Send the offer',
      due_at: new Date(Date.now() + 86_400_000).toISOString(),
      targets: [
        { object_kind: 'deal', object_id: deal.id },
        { object_kind: 'company', object_id: company.id },
        { object_kind: 'conversation', object_id: conversationId },
      ],
    },
    '/v1/crm/tasks',
  );
  const stage = pipeline.stages.find(({ kind }) => kind === 'open')!;
  const only = ({ id }: Item) => ({ id });
  return { pipeline: { id: pipeline.id, stage_id: stage.id }, deal: only(deal), company: only(company), task: only(task) };
}
