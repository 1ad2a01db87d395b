import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Channel } from '../../../src/channels/channel.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { ProviderTemplate } from '../../../src/providers/messaging-app/provider.ts';
import { settleEdited } from '../../../src/templates/outcome.ts';
import { templateStatusOf } from '../../../src/templates/status-words.ts';
import { storeTemplates } from '../../../src/templates/sync.ts';
import { Template } from '../../../src/templates/template.entity.ts';
import { templateLock } from '../../../src/templates/told.ts';
import { createTemplate } from '../../../src/templates/write.ts';
import { channel } from '../../support/factories/channel.ts';
import { type House, openHouse } from '../../support/house.ts';
import { inMs } from '../../support/rules/clock.ts';
import { eventsOf } from '../../support/rules/events.ts';
import { waitFor } from '../../support/wait-for.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

test.each([
  ['APPROVED', 'approved'],
  ['approved', 'approved'],
  ['PAUSED', 'paused'],
  ['REJECTED', 'rejected'],
  ['IN_APPEAL', 'pending'],
  ['DELETED', 'disabled'],
  ['FLAGGED', 'approved'],
  ['A_NEW_WORD', 'pending'],
])('%s is %s', (word, status) => {
  expect(templateStatusOf(word)).toBe(status);
});

/** As the deletion of a channel leaves it, without what it does beside it. */
const deleteChannel = (em: Em, id: string) => em.nativeUpdate(Channel, { id }, { deleted_at: inMs(0) });

describe('storing', () => {
  const template = (id: string, name: string, more: Partial<ProviderTemplate> = {}): ProviderTemplate => ({
    id,
    name,
    language: 'en_US',
    category: 'utility',
    status: 'APPROVED',
    components: [],
    ...more,
  });
  const now = async () => (await house.sql<{ at: string }>('select clock_timestamp()::text as at'))[0]!.at;
  const setUp = async () => {
    const { id } = await channel(house.em(), house.organizationId);
    const storeAsOf = (listedAt: string, ...templates: ProviderTemplate[]) =>
      storeTemplates(
        ownRows(house.database, house.organizationId),
        transactFor(house.ledger.transact, house.organizationId),
        id,
        templates,
        listedAt,
      );
    const store = async (...templates: ProviderTemplate[]) => storeAsOf(await now(), ...templates);
    const stored = () => house.em().find(Template, { channel_id: id }, { orderBy: { name: 'asc', language: 'asc' } });
    return { id, store, storeAsOf, stored };
  };

  test('twice is once', async () => {
    const { store, stored } = await setUp();
    for (let index = 0; index < 2; index += 1) await store(template('1', 'a'), template('2', 'a', { language: 'de' }));
    expect((await stored()).map(({ language }) => language)).toEqual(['de', 'en_US']);
  });

  test('of a deleted channel nothing is stored', async () => {
    const { store, stored, id } = await setUp();
    await deleteChannel(house.em(), id);
    await store(template('1', 'a'));
    expect(await stored()).toEqual([]);
  });

  test('on a deleted channel none is made', async () => {
    const { stored, id } = await setUp();
    await deleteChannel(house.em(), id);
    const components = [{ type: 'BODY', text: 'Hello.' }];
    const made = transactFor(house.ledger.transact, house.organizationId)({}, ({ own }) =>
      createTemplate(own, { channelId: id, name: 'a', language: 'en_US', category: 'utility', components }),
    );
    await expect(made).rejects.toMatchObject({ code: 'not_found' });
    expect(await stored()).toEqual([]);
  });

  test('none comes back after a deletion that was under way', async () => {
    const { store, stored, id } = await setUp();
    let storing: Promise<number> | undefined;
    await house.ledger.transact({}, async ({ em }) => {
      await deleteChannel(em, id);
      storing = store(template('1', 'a'));
      await waitFor('the store to wait', async () => {
        const waiting = await house.sql(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%templates%'`,
        );
        return waiting.length > 0;
      });
    });
    await storing;
    expect(await stored()).toEqual([]);
  });

  test('a change is told, a new one and one that stays are not', async () => {
    const { store, stored, id } = await setUp();
    await store(template('1', 'a'), template('2', 'b'));
    await store(template('1', 'a', { status: 'PAUSED' }), template('2', 'b'), template('3', 'c'));
    expect((await stored()).map(({ status }) => status)).toEqual(['paused', 'approved', 'approved']);
    const events = await house.sql(
      `select e.data->>'status' as status from events e join templates t on t.id = e.subject_id where t.channel_id = $1`,
      [id],
    );
    expect(events).toEqual([{ status: 'paused' }]);
  });

  test('one that the provider no longer has is disabled, and may come back; drafts are ours alone', async () => {
    const { store, stored, id } = await setUp();
    await store(template('1', 'a'), template('2', 'b'));
    await house.em().nativeUpdate(Template, { channel_id: id, name: 'b' }, { status: 'draft' });
    await store();
    expect((await stored()).map(({ status }) => status)).toEqual(['disabled', 'draft']);
    await store(template('9', 'a'));
    expect((await stored())[0]).toMatchObject({ status: 'approved', provider_template_id: '9' });
  });

  test('what came after the list was read is newer than the list', async () => {
    const { store, storeAsOf, stored } = await setUp();
    const before = await now();
    await store(template('1', 'a'));
    await storeAsOf(before);
    expect(await stored()).toMatchObject([{ status: 'approved' }]);
    const between = await now();
    await store(template('1', 'a', { status: 'PAUSED' }));
    await storeAsOf(between, template('1', 'a'));
    expect(await stored()).toMatchObject([{ status: 'paused' }]);
  });

  test('an edit that ended after the list was asked for is newer than the list', async () => {
    const { store, storeAsOf, id } = await setUp();
    const old = template('1', 'a', { components: [{ type: 'BODY', text: 'Old.' }] });
    const components = [{ type: 'BODY', text: 'New.' }];
    const shown = () => house.em().findOneOrFail(Template, { channel_id: id });
    await store(old);
    await house.em().nativeUpdate(Template, { channel_id: id }, { doing: 'edit', change: { components }, submitted_at: inMs(0) });
    const listedAt = await now();
    const { id: templateId } = await shown();
    await transactFor(house.ledger.transact, house.organizationId)({ locks: [templateLock(String(templateId))] }, ({ own }) =>
      settleEdited(own, String(templateId)),
    );
    await storeAsOf(listedAt, old);
    expect((await shown()).components).toEqual(components);
    await store(template('1', 'a', { components: [{ type: 'BODY', text: 'Newer.' }] }));
    expect((await shown()).components).toEqual([{ type: 'BODY', text: 'Newer.' }]);
  });

  test('category and quality are told too, with what was before; what the provider leaves out stays', async () => {
    const { store, id } = await setUp();
    await store(template('1', 'a', { quality: 'green', reason: 'X' }));
    await store(template('1', 'a', { category: 'marketing', quality: 'red' }));
    await store(template('1', 'a', { category: '' }));
    const changed = await house.em().findOneOrFail(Template, { channel_id: id });
    expect(changed).toMatchObject({ category: 'marketing', previous_category: 'utility', quality: 'red', reason: 'X' });
    const events = await eventsOf(house.em(), changed.id);
    expect(events.map(({ data }) => data)).toEqual([
      expect.objectContaining({ changed: ['quality', 'category'], status: 'approved', category: 'marketing', quality: 'red' }),
    ]);
  });
});
