import { afterEach, expect, test } from '@jest/globals';
import { poolWidth } from '../../src/automation/limits.ts';
import type { Config } from '../../src/platform/config/config.ts';
import { createPlaces, type Place, type Places } from '../../workers/places.ts';
import { sizesOf } from '../../workers/sizes.ts';

const config = {
  messagesConcurrency: 50,
  bulkMessagesConcurrency: 30,
  webhooksConcurrency: 50,
  webhookRetriesConcurrency: 20,
  automationsConcurrency: 4,
  statusesConcurrency: 20,
  defaultConcurrency: 20,
  concurrencyOpenFactor: 8,
} as Config;

const made: Places[] = [];
afterEach(() => {
  for (const places of made.splice(0)) places.close();
});

test('a queue holds several times what it works on, and a channel or organization one part of that', () => {
  expect(sizesOf('messages', config)).toEqual({ concurrency: 50, share: 50, open: 400 });
  expect(sizesOf('default', { ...config, defaultConcurrency: 7 })).toEqual({ concurrency: 7, share: 7, open: 56 });
});

test('of rules few are worked on at once, and many may wait for calls', () => {
  expect(sizesOf('automations', config)).toEqual({ concurrency: 4, share: 3 * poolWidth, open: 8 * poolWidth });
  expect(sizesOf('automations', { ...config, automationsConcurrency: 40 })).toEqual({ concurrency: 40, share: 120, open: 320 });
});

test('five hosts that hang, with ten calls at each, leave an organization places for its other runs', async () => {
  const places = createPlaces(sizesOf('automations', config));
  made.push(places);
  const enter = async (pool: string) => {
    const place = await places.enter({ pool, organization_id: 'one' });
    if ('putOffMs' in place) throw new Error(`${pool}: put off`);
    return place as Place;
  };
  let hangUp = () => {};
  const hung = new Promise<void>((resolve) => {
    hangUp = resolve;
  });
  const calls: Promise<void>[] = [];
  for (let number = 0; number < 50; number += 1) {
    const place = await enter(`http:one:host-${number % 5}`);
    calls.push(place.outside(() => hung).then(() => place.leave()));
  }
  (await enter('automation:one')).leave();
  hangUp();
  await Promise.all(calls);
});
