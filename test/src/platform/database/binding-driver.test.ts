import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { raw } from '@mikro-orm/core';
import { Organization } from '../../../../src/organizations/organization.entity.ts';
import { BindingDriver, boundText } from '../../../../src/platform/database/binding-driver.ts';
import { violatedConstraint } from '../../../../src/platform/database/errors.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { type House, openHouse } from '../../../support/house.ts';

const platform = { quoteIdentifier: (name: string) => `"${name}"`, quoteValue: (value: unknown) => JSON.stringify(value) };

describe('the text of a statement', () => {
  test('holds a number for each value, the names, and question marks that are operators', () => {
    const bound = boundText('update ?? set a = ?, b = ? where c \\? ?', ['t', 1, null, 'x'], platform);
    expect(bound).toEqual({ text: 'update "t" set a = $1, b = $2 where c ? $3', values: [1, null, 'x'] });
  });

  test('holds no value of a raw part either: it would be another statement for each of them', () => {
    const at = raw('least(?::timestamptz, now())', ['2026-11-22']);
    const bound = boundText('update t set a = ? where id = ?', [at, 'x'], platform);
    expect(bound).toEqual({ text: 'update t set a = least($1::timestamptz, now()) where id = $2', values: ['2026-11-22', 'x'] });
  });
});

describe('an error of a record', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  test('names the constraint, and none of the values that PostgreSQL tells in detail', async () => {
    const { organizationId: id } = house;
    const error = await house
      .em()
      .insert(Organization, { id, name: 'Told in detail' })
      .catch((thrown: Error) => thrown);
    expect(violatedConstraint(error)).toBe('organizations_pkey');
    expect(`${(error as Error).message}${(error as Error).stack}${JSON.stringify(error)}`).not.toContain(id);
  });

  test('stays ours when it is ours: a share of connections that is used up is a 503', () => {
    const refused = new AppError('unavailable', 'Too many of your requests');
    const driver = house.database.orm.em.getDriver() as BindingDriver;
    expect(driver).toBeInstanceOf(BindingDriver);
    expect(driver.convertException(refused)).toBe(refused);
  });
});
