import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { prepareRates } from '../../../cli/start/demo-rates.ts';
import { createSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { exchange } from '../../../src/money/exchange.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { type House, openHouse } from '../../support/house.ts';

let sandbox: Sandbox;
let url: string;
let house: House;
beforeAll(async () => {
  sandbox = createSandbox();
  url = `http://127.0.0.1:${await sandbox.listen(0)}/exchange-rates.xml`;
  house = await openHouse();
});
afterAll(async () => {
  await house.close();
  await sandbox.close();
});

test('each currency of the feed has a home amount before the first request', async () => {
  const { organizationId, database } = house;
  const prepare = () => prepareRates({ database, organizationId, url, timeoutMs: 5_000, signal: new AbortController().signal });
  await prepare();
  await prepare();
  const asks = ['EUR', 'GBP', 'JPY', 'IDR'].map((currency) => ({ minor: '100000', currency, to: 'home' }));
  const { amounts } = await exchange(ownRows(database, organizationId), asks);
  expect(amounts).not.toContain(undefined);
});
