import { beforeAll, describe, expect, test } from '@jest/globals';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type Body, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { waitsForLock } from '../../support/stored/locks.ts';
import { storedState } from '../../support/stored.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp();

beforeAll(async () => {
  const { organizationId } = app.tenant;
  await objectType(app, organizationId, { kind: 'person_card' });
  await objectType(app, organizationId, {
    kind: 'team',
    relations: [
      { name: 'members', inverse: 'teams', to: 'person_card' },
      { name: 'lead', inverse: 'leads', to: 'person_card', cardinality: 'many_to_one' },
      { name: 'badge', inverse: 'badge_of', to: 'person_card', cardinality: 'one_to_one' },
      { name: 'owns', inverse: 'owned_by', to: 'person_card', cardinality: 'one_to_many' },
      { name: 'keeps', inverse: 'kept_by', to: 'person_card', onDelete: 'restrict' },
      { name: 'next', inverse: 'previous', to: 'team', cardinality: 'one_to_one' },
      { name: 'talks', inverse: 'talk_teams', to: 'conversation' },
      { name: 'people', inverse: 'people_teams', to: 'contact' },
    ],
  });
});

const make = async (objectKind: string, name: string): Promise<string> =>
  (await app.call('crm.records.create', { params: { objectKind }, body: { fields: { name } } })).body.id;
const contact = async (name: string): Promise<string> =>
  (await app.call('contacts.create', { body: { name, phone_number: `+${app.phone()}` } })).body.data.id;
const params = (objectKind: string, recordID: string, name: string, otherID?: string) => ({
  params: { objectKind, recordID, relationName: name, ...(otherID && { otherID }) },
});
const link = (kind: string, id: string, name: string, other: string) =>
  app.call('crm.records.relations.link', params(kind, id, name, other));
const unlink = (kind: string, id: string, name: string, other: string) =>
  app.call('crm.records.relations.unlink', params(kind, id, name, other));
const related = (kind: string, id: string, name: string, query: Record<string, string | number> = {}, key?: string) =>
  app.call('crm.records.relations.list', { ...params(kind, id, name), query, key });
const get = async (objectKind: string, recordID: string): Promise<Body> =>
  (await app.call('crm.records.get', { params: { objectKind, recordID } })).body;
const put = async (kind: string, id: string, name: string, other: string) => {
  const { status } = await link(kind, id, name, other);
  expect(status).toBe(200);
};
const remove = (objectKind: string, recordID: string) => app.call('crm.records.delete', { params: { objectKind, recordID } });
const restore = (objectKind: string, recordID: string) => app.call('crm.records.restore', { params: { objectKind, recordID } });
const idsIn = ({ body }: { body: Body }) => body.items.map(({ id }: Body) => id);
const lastOf = async (objectKind: string, recordID: string, back = 0): Promise<Body> =>
  (await app.call('crm.records.history', { params: { objectKind, recordID } })).body.items[back].changes;
const none = { count: 0, has_more: false, items: [] };

describe('a link', () => {
  test('is seen from both ends by their names, and is a change of both', async () => {
    const [team, ada] = [await make('team', 'Red'), await make('person_card', 'Ada')];
    const { status, body } = await link('team', team, 'members', ada);
    expect([status, body.revision]).toEqual([200, 2]);
    expect(body.relationships_summary.members).toEqual({
      count: 1,
      has_more: false,
      items: [{ id: ada, kind: 'person_card', display_name: 'Ada' }],
    });
    const seen = await get('person_card', ada);
    expect([seen.revision, seen.relationships_summary.teams]).toEqual([
      2,
      { count: 1, has_more: false, items: [{ id: team, kind: 'team', display_name: 'Red' }] },
    ]);
    expect((await app.events(team)).map(({ type, data }) => [type, data.changed]).at(-1)).toEqual([
      'record.updated',
      ['members'],
    ]);
    expect((await app.events(ada)).map(({ type, data }) => [type, data.changed]).at(-1)).toEqual(['record.updated', ['teams']]);
    const history = await app.call('crm.records.history', { params: { objectKind: 'person_card', recordID: ada } });
    expect(history.body.items[0].changes).toEqual({ teams: { from: [], to: [team] } });
  });

  test('made twice, or from the other end, is the same link: nothing changes', async () => {
    const [team, ada] = [await make('team', 'Red'), await make('person_card', 'Ada')];
    await put('team', team, 'members', ada);
    const before = await storedState(app);
    await put('team', team, 'members', ada);
    await put('person_card', ada, 'teams', team);
    expect(await storedState(app)).toBe(before);
  });

  test('is removed from either end, again it is a 404', async () => {
    const [team, ada] = [await make('team', 'Red'), await make('person_card', 'Ada')];
    await put('team', team, 'members', ada);
    expect((await unlink('person_card', ada, 'teams', team)).status).toBe(204);
    expect((await unlink('team', team, 'members', ada)).status).toBe(404);
    expect((await get('team', team)).relationships_summary.members).toEqual(none);
    expect((await app.events(team)).map(({ data }) => data.changed).at(-1)).toEqual(['members']);
  });

  test('of a record to itself is one change with both names', async () => {
    const red = await make('team', 'Red');
    await put('team', red, 'next', red);
    expect(await lastOf('team', red)).toEqual({ next: { from: [], to: [red] }, previous: { from: [], to: [red] } });
    expect((await unlink('team', red, 'previous', red)).status).toBe(204);
    expect(await lastOf('team', red)).toEqual({ next: { from: [red], to: [] }, previous: { from: [red], to: [] } });
    expect((await get('team', red)).revision).toBe(3);
  });

  test('to a contact or a conversation is a change of the record', async () => {
    const team = await make('team', 'Red');
    const channel = await app.connect();
    const talk = await app.conversation(channel);
    await put('team', team, 'people', talk.contactId);
    await put('team', team, 'talks', talk.id);
    const { relationships_summary: summary, revision } = await get('team', team);
    expect([revision, summary.people.items[0].id, summary.talks.items[0].id]).toEqual([3, talk.contactId, talk.id]);
    const seen = await get('conversation', talk.id);
    expect(summary.talks.items[0].display_name).toBe(seen.display_name);
    expect(seen.relationships_summary.talk_teams.items).toEqual([{ id: team, kind: 'team', display_name: 'Red' }]);
    expect(idsIn(await related('contact', talk.contactId, 'people_teams'))).toEqual([team]);
    const refused = await link('contact', talk.contactId, 'people_teams', team);
    expect(refused.status).toBe(422);
  });
});

describe('the summary', () => {
  test('counts to 100, says when there are more, and shows the three linked last', async () => {
    const team = await make('team', 'Many');
    const people = await Promise.all(Array.from({ length: 3 }, (_, index) => make('person_card', `P ${index}`)));
    await app.rows(
      `with made as (
         insert into records (organization_id, id, type_id, display_name)
         select $1, uuidv7(), r.type_id, 'Copy' from records r, generate_series(1, 98) where r.id = $3
         returning id)
       insert into record_links (organization_id, id, relation_id, record_id, to_record_id, is_single_from, is_single_to)
       select $1, uuidv7(), (select id from object_relations where organization_id = $1 and name = 'members'), $2, id, false, false from made`,
      [app.tenant.organizationId, team, people[0]],
    );
    for (const person of people.slice(0, 2)) await put('team', team, 'members', person);
    expect((await get('team', team)).relationships_summary.members).toMatchObject({ count: 100, has_more: false });
    await put('team', team, 'members', people[2]!);
    const { members } = (await get('team', team)).relationships_summary;
    expect([members.count, members.has_more, members.items.map(({ id }: Body) => id)]).toEqual([
      100,
      true,
      [...people].reverse(),
    ]);
  });

  test('is one statement a page, whatever the page', async () => {
    const lists = await app.call('crm.records.list', { params: { objectKind: 'team' } });
    expect(lists.body.items.length).toBeGreaterThan(1);
    for (const item of lists.body.items)
      expect(item.relationships_summary).toEqual((await get('team', item.id)).relationships_summary);
  });

  test('does not name what the caller may not read', async () => {
    const [team, ada] = [await make('team', 'Red'), await contact('Ada')];
    await put('team', team, 'people', ada);
    const { key } = await app.key(app.tenant.organizationId, ['crm:read']);
    const { body } = await app.call('crm.records.get', { params: { objectKind: 'team', recordID: team }, key });
    expect(body.relationships_summary.people).toEqual({
      count: 1,
      has_more: false,
      items: [{ id: ada, kind: 'contact', display_name: '' }],
    });
    const refused = await related('team', team, 'people', {}, key);
    expect([refused.status, refused.body.error.message.includes('contacts:read')]).toEqual([403, true]);
  });
});

describe('cardinality', () => {
  test.each([
    ['lead', 'many_to_one', [200, 409, 200]],
    ['owns', 'one_to_many', [200, 200, 409]],
    ['badge', 'one_to_one', [200, 409, 409]],
    ['members', 'many_to_many', [200, 200, 200]],
  ])('%s is %s', async (name, _cardinality, statuses) => {
    const [red, blue] = [await make('team', 'Red'), await make('team', 'Blue')];
    const [ada, bob] = [await make('person_card', 'Ada'), await make('person_card', 'Bob')];
    const replies = [await link('team', red, name, ada), await link('team', red, name, bob), await link('team', blue, name, ada)];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
    const [second, third] = [replies[1]!, replies[2]!];
    if (second.status === 409) expect(second.body.error.details[0].value).toBe(ada);
    if (third.status === 409) expect(third.body.error.details[0].value).toBe(red);
  });

  test('holds however many ask at once', async () => {
    const [ada, teams] = [await contact('Ada'), await Promise.all([1, 2, 3, 4, 5, 6].map((n) => make('company', `C ${n}`)))];
    const replies = await Promise.all(teams.map((team) => link('company', team, 'contacts', ada)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await get('contact', ada)).relationships_summary.company.count).toBe(1);
  });

  test('what is in the bin takes no room: it is replaced, and stays so after a restore', async () => {
    const [red, ada, bob] = [await make('team', 'Red'), await make('person_card', 'Ada'), await make('person_card', 'Bob')];
    await put('team', red, 'lead', ada);
    await remove('person_card', ada);
    expect((await get('team', red)).relationships_summary.lead).toEqual(none);
    await put('team', red, 'lead', bob);
    await restore('person_card', ada);
    expect(idsIn(await related('team', red, 'lead'))).toEqual([bob]);
    expect(idsIn(await related('person_card', ada, 'leads'))).toEqual([]);
  });

  test('what is replaced in the bin is told by the history of every record that it touches, and the bin emits nothing', async () => {
    const [red, blue] = [await make('team', 'Red'), await make('team', 'Blue')];
    const [ada, bob] = [await make('person_card', 'Ada'), await make('person_card', 'Bob')];
    await put('team', red, 'badge', ada);
    await put('team', blue, 'badge', bob);
    await remove('person_card', ada);
    await remove('team', blue);
    const before = [(await app.events(ada)).length, (await app.events(blue)).length];
    await put('person_card', bob, 'badge_of', red);
    expect([(await app.events(ada)).length, (await app.events(blue)).length]).toEqual(before);
    expect(await lastOf('team', red)).toEqual({ badge: { from: [ada], to: [bob] } });
    expect(await lastOf('person_card', bob)).toEqual({ badge_of: { from: [blue], to: [red] } });
    const restored = await restore('person_card', ada);
    expect(restored.body.revision).toBe(5);
    expect(await lastOf('person_card', ada, 1)).toEqual({ badge_of: { from: [red], to: [] } });
    await restore('team', blue);
    expect(await lastOf('team', blue, 1)).toEqual({ badge: { from: [bob], to: [] } });
  });

  test('what is restored at the same time keeps its place', async () => {
    const [red, ada, bob] = [await make('team', 'Red'), await make('person_card', 'Ada'), await make('person_card', 'Bob')];
    await put('team', red, 'lead', ada);
    await remove('person_card', ada);
    let late: ReturnType<typeof link> | undefined;
    await transactFor(app.web.deps.ledger.transact, app.tenant.organizationId)({}, async ({ own }) => {
      await own.sql('update records set deleted_at = null where organization_id = $1 and id = $2', [ada]);
      late = link('team', red, 'lead', bob);
      await waitFor('the link to wait for the restore', () => waitsForLock(app, 'update records'));
    });
    const refused = await late!;
    expect([refused.status, refused.body.error.details[0].value]).toEqual([409, ada]);
    expect(idsIn(await related('team', red, 'lead'))).toEqual([ada]);
  });

  test('a merge of contacts tells a record in the bin that it gave its place', async () => {
    const [old, now] = [await make('company', 'Old'), await make('company', 'Now')];
    const [ada, double] = [await contact('Ada'), await contact('Ada too')];
    await put('company', old, 'contacts', ada);
    await put('company', now, 'contacts', double);
    await remove('company', old);
    expect((await app.call('contacts.merge', { params: { contactID: ada }, body: { contact_id: double } })).status).toBe(200);
    expect(idsIn(await related('company', now, 'contacts'))).toEqual([ada]);
    expect(await lastOf('company', now)).toEqual({ contacts: { from: [double], to: [ada] } });
    const restored = await restore('company', old);
    expect([restored.body.revision, restored.body.relationships_summary.contacts]).toEqual([5, none]);
    expect(await lastOf('company', old, 1)).toEqual({ contacts: { from: [ada], to: [] } });
  });
});

describe('the bin', () => {
  test('takes the links out of sight, and a restore brings them back', async () => {
    const [team, ada] = [await make('team', 'Red'), await make('person_card', 'Ada')];
    await put('team', team, 'members', ada);
    await remove('person_card', ada);
    expect(idsIn(await related('team', team, 'members'))).toEqual([]);
    expect((await related('person_card', ada, 'teams')).status).toBe(404);
    expect((await link('team', team, 'members', ada)).status).toBe(404);
    await restore('person_card', ada);
    expect(idsIn(await related('team', team, 'members'))).toEqual([ada]);
  });

  test('restrict keeps a record while it is linked: 409 with the count', async () => {
    const [team, ada] = [await make('team', 'Red'), await make('person_card', 'Ada')];
    await put('team', team, 'keeps', ada);
    const refused = await remove('team', team);
    expect([refused.status, refused.body.error.details[0]]).toMatchObject([409, { field: 'keeps', value: '1' }]);
    expect((await remove('person_card', ada)).status).toBe(409);
    await unlink('team', team, 'keeps', ada);
    expect((await remove('team', team)).status).toBe(204);
  });
});

test('what a record is linked to is paged, the latest first, by a cursor of this list alone', async () => {
  const team = await make('team', 'Red');
  const people = [];
  for (const name of ['Ada', 'Bob', 'Cid']) {
    people.unshift(await make('person_card', name));
    await put('team', team, 'members', people[0]!);
  }
  const first = await related('team', team, 'members', { limit: 2 });
  expect([idsIn(first), first.body.meta.has_more]).toEqual([people.slice(0, 2), true]);
  expect(first.body.items[0]).toMatchObject({ kind: 'person_card', display_name: 'Cid' });
  const cursor = first.body.meta.next_cursor;
  const second = await related('team', team, 'members', { limit: 2, cursor });
  expect([idsIn(second), second.body.meta.has_more]).toEqual([people.slice(2), false]);
  expect((await related('team', team, 'lead', { cursor })).status).toBe(400);
});

describe('what is not there', () => {
  test('an object of another kind, another organization, or nowhere: 404, and nothing changes', async () => {
    const team = await make('team', 'Red');
    const company = await make('company', 'Engines');
    const { key } = await app.organization();
    const foreign = (await app.call('contacts.create', { key, body: { phone_number: `+${app.phone()}` } })).body.data.id;
    const before = await storedState(app);
    for (const [name, other] of [
      ['members', company],
      ['members', team],
      ['people', foreign],
      ['people', company],
      ['talks', foreign],
      ['members', 'nothing'],
      ['nothing', company],
    ] as const)
      expect([name, (await link('team', team, name, other)).status]).toEqual([name, 404]);
    expect((await related('team', team, 'nothing')).status).toBe(404);
    expect(await storedState(app)).toBe(before);
  });
});
