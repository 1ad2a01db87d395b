import { expect, test } from '@jest/globals';
import { useHouse } from './house.ts';

const house = useHouse();
const id = '300000000000001';
const decide = (news: object) => house.control('templates', { id, ...news });
const told = async () => {
  await house.settled();
  return house.receiver.received.flatMap(({ raw }) => JSON.parse(raw.toString()).entry[0].changes);
};
const shown = async () => (await house.get(`/${id}`)).body;

test('a pause is told with its reason, and the template shows it', async () => {
  await decide({ status: 'paused', reason: 'LOW_QUALITY' });
  expect(await told()).toEqual([
    {
      field: 'message_template_status_update',
      value: {
        event: 'PAUSED',
        reason: 'LOW_QUALITY',
        message_template_id: Number(id),
        message_template_name: 'hello_kanal',
        message_template_language: 'en_US',
        message_template_category: 'UTILITY',
      },
    },
  ]);
  expect(await shown()).toMatchObject({ status: 'PAUSED', rejected_reason: 'LOW_QUALITY' });
});

test('quality and category are told with what was before', async () => {
  await decide({ quality: 'RED', category: 'MARKETING' });
  const changes = await told();
  expect(changes.map(({ field }) => field).sort()).toEqual(['message_template_quality_update', 'template_category_update']);
  const value = (field: string) => changes.find((one) => one.field === field).value;
  expect(value('message_template_quality_update')).toMatchObject({ previous_quality_score: 'UNKNOWN', new_quality_score: 'RED' });
  expect(value('template_category_update')).toMatchObject({ previous_category: 'UTILITY', new_category: 'MARKETING' });
  expect(await shown()).toMatchObject({ quality_score: { score: 'RED' }, category: 'MARKETING', previous_category: 'UTILITY' });
});

test('of a template that is not there, or nothing about one: refused', async () => {
  const ask = async (body: object) =>
    (
      await fetch(`${house.url}/_control/templates`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
    ).status;
  expect([await ask({ id: '1', status: 'PAUSED' }), await ask({ id })]).toEqual([404, 422]);
});
