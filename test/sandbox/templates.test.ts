import { expect, test } from '@jest/globals';
import { useHouse, wabaId } from './house.ts';

const house = useHouse();
const path = `/v23.0/${wabaId}/message_templates`;

const namesOf = (answer: { body: { data: { name: string }[] } }) => answer.body.data.map(({ name }) => name);

test('all templates come with their components', async () => {
  const answer = await house.get(path);
  expect(namesOf(answer)).toEqual(['hello_kanal', 'spring_sale', 'winter_sale', 'hello_world']);
  expect(answer.body.data[0]).toMatchObject({ status: 'APPROVED', category: 'UTILITY', components: [{ type: 'BODY' }] });
});

test.each([
  ['name=spring_sale', ['spring_sale']],
  ['status=paused', ['winter_sale']],
  ['category=MARKETING&status=APPROVED', ['spring_sale']],
  ['language=de', []],
  [`language=${encodeURIComponent('["de","en_us"]')}`, ['hello_kanal', 'spring_sale', 'winter_sale', 'hello_world']],
  [`language=${encodeURIComponent('["de","id"]')}`, []],
  [`status=${encodeURIComponent('["PAUSED","REJECTED"]')}`, ['winter_sale']],
])('the filter %s', async (query, names) => {
  expect(namesOf(await house.get(`${path}?${query}`))).toEqual(names);
});

test('pages are walked by next, and back by previous', async () => {
  const first = await house.get(`${path}?limit=2&fields=name`);
  expect(first.body.data).toEqual([
    expect.objectContaining({ name: 'hello_kanal' }),
    expect.objectContaining({ name: 'spring_sale' }),
  ]);
  expect(first.body.paging.previous).toBeUndefined();
  const next = first.body.paging.next as string;
  expect(next.startsWith(house.url + path)).toBe(true);
  const second = await house.get(next.slice(house.url.length));
  expect(second.body.data).toEqual([
    { id: '300000000000003', name: 'winter_sale' },
    { id: '300000000000004', name: 'hello_world' },
  ]);
  expect(second.body.paging.next).toBeUndefined();
  const back = await house.get((second.body.paging.previous as string).slice(house.url.length));
  expect(namesOf(back)).toEqual(['hello_kanal', 'spring_sale']);
  const byCursor = await house.get(`${path}?after=${first.body.paging.cursors.after}`);
  expect(namesOf(byCursor)).toEqual(['winter_sale', 'hello_world']);
  expect((await house.get(`${path}?after=${byCursor.body.paging.cursors.after}`)).body).toEqual({ data: [] });
});

test.each(['limit=none', 'limit=0', 'after=nonsense', 'language=[de'])('%s is code 100', async (query) => {
  expect(await house.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
});
