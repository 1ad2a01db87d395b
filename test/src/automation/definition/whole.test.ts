import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Action } from '../../../../src/automation/actions/action.ts';
import { readWith } from '../../../../src/automation/definition/read.ts';
import { inBody } from '../../../../src/automation/definition/shape.ts';
import { wholeWith } from '../../../../src/automation/definition/whole.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { objectType } from '../../../support/factories/object-type.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { storeSecret } from '../../../support/rules/automation.ts';
import { definitionOf, holds, kit, tag } from './kit.ts';

let house: House;
let own: Own;
beforeAll(async () => {
  house = await openHouse();
  own = ownRows(house.database, house.organizationId);
  await objectType({ rows: house.sql }, house.organizationId, {
    kind: 'car',
    fields: [
      { name: 'colour', type: 'text' },
      { name: 'checked_on', type: 'date' },
      { name: 'sold_at', type: 'datetime' },
    ],
  });
  await storeSecret(house.em(), house.organizationId, 'TOKEN', 'sealed', ['x.example']);
});

afterAll(() => house.close());

/** A tag that is called so is not there. */
const picky = new Map(kit.actions);
const addTag = kit.actions.get('add_tag')!;
picky.set('add_tag', {
  ...addTag,
  check: async (_own: Own, { tag: name }: { tag?: string }) =>
    name === 'nowhere' ? [{ field: 'tag', code: 'tag.unknown', message: 'There is no such tag' }] : [],
} as unknown as Action);
const strict = {
  actions: picky,
  conditionFaults: (given: unknown, path: (string | number)[], { types }: { types?: { fields: { name: string }[] }[] }) => {
    const name = (given as { field: string }).field.replace('record.', '');
    const isKnown = !types || types.some(({ fields }) => fields.some((one) => one.name === name));
    return isKnown ? [] : [inBody(path, 'any.only', '')];
  },
};

async function faultsOf(given: object): Promise<string[]> {
  const { definition, faults } = readWith(strict, { steps: [tag('a')], ...given });
  expect(faults).toEqual([]);
  return (await wholeWith(strict, own, definition!)).map(({ field, location, code }) => `${location} ${field}: ${code}`);
}
const branch = (...steps: object[]) => ({ id: 'b', type: 'branch', branches: [{ conditions: holds, steps }] });
const call = (text: string) => ({ id: 'c', type: 'call', url: 'https://x.example', body: { a: [text] } });
const triggered = (trigger: object) => definitionOf([tag('a')], { trigger });
const forEach = (more: object) => triggered({ type: 'schedule', cron: '0 9 * * *', for_each: more });

describe('a rule that can be published', () => {
  test.each([
    ['a step', definitionOf([tag('a')])],
    ['a secret that is there', definitionOf([call('{{ secrets.TOKEN }}')])],
    ['a date of a kind', triggered({ type: 'date', kind: 'car', field: 'checked_on' })],
    ['a time of a kind', triggered({ type: 'date', kind: 'car', field: 'sold_at' })],
    ['a time of each record', triggered({ type: 'date', kind: 'car', field: 'created_at' })],
    ['a list of a kind', forEach({ kind: 'car', filters: [{ field: 'colour', value: 'red' }] })],
    ['a condition on a kind', definitionOf([tag('a')], { exit_when: { field: 'record.colour' } })],
  ])('%s', async (_title, given) => {
    expect(await faultsOf(given)).toEqual([]);
  });
});

describe('what is not there has its path:', () => {
  const id = uuidv7();
  test.each<[string, object, string[]]>([
    ['no step', { trigger: { type: 'manual' }, steps: [] }, ['body steps: steps.none']],
    [
      'what a step names',
      definitionOf([tag('a'), branch(tag('c', 'nowhere'))]),
      ['body steps[1].branches[0].steps[0].tag: tag.unknown'],
    ],
    [
      'a secret',
      definitionOf([branch(call('{{ secrets.OTHER }} {{ secrets["TOKEN"] }}'))]),
      ['body steps[0].branches[0].steps[0].body.a[0]: secret.unknown'],
    ],
    [
      'a secret that is bound to another host',
      definitionOf([{ ...call('{{ secrets.TOKEN }}'), url: 'https://evil.example/' }]),
      ['body steps[0].url: secret.host'],
    ],
    ['a secret in small letters', definitionOf([call('{{ secrets.token }}')]), ['body steps[0].body.a[0]: secret.unknown']],
    ['a secret that a value names', definitionOf([call('{{ secrets[vars.a] }}')]), ['body steps[0].body.a[0]: secret.unnamed']],
    [
      'a channel',
      triggered({ type: 'keyword', match: 'exact', keywords: ['a'], channel_ids: [id] }),
      ['body trigger.channel_ids[0]: channel.unknown'],
    ],
    ['a kind of a list', forEach({ kind: 'boat' }), ['body trigger.for_each.kind: kind.unknown']],
    [
      'a field of a kind',
      forEach({ kind: 'car', any: [[{ field: 'wings', value: 2 }]] }),
      ['body trigger.for_each.any[0][0].field: any.only'],
    ],
    ['a segment', forEach({ kind: 'contact', segment_ids: [id] }), ['body trigger.for_each.segment_ids[0]: segment.unknown']],
    ['a kind with a date', triggered({ type: 'date', kind: 'boat', field: 'x' }), ['body trigger.kind: kind.unknown']],
    ['a date of a kind', triggered({ type: 'date', kind: 'car', field: 'colour' }), ['body trigger.field: date.field']],
    [
      'a field of a record in conditions',
      definitionOf([branch(tag('a'))], { conditions: { field: 'record.wings' } }),
      ['body conditions: any.only'],
    ],
  ])('%s', async (_title, given, expected) => {
    expect(await faultsOf(given)).toEqual(expected);
  });

  test('all at once', async () => {
    const keyword = { type: 'keyword', match: 'exact', keywords: ['a'], channel_ids: [id, uuidv7()] };
    const given = { trigger: keyword, steps: [tag('a', 'nowhere'), call('{{ secrets.NONE }}')] };
    expect(await faultsOf(given)).toEqual([
      'body trigger.channel_ids[0]: channel.unknown',
      'body trigger.channel_ids[1]: channel.unknown',
      'body steps[0].tag: tag.unknown',
      'body steps[1].body.a[0]: secret.unknown',
    ]);
  });
});
