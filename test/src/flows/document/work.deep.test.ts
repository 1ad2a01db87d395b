import { expect, test } from '@jest/globals';
import { checkFlow } from '../../../../src/flows/document/check.ts';
import { processorMs } from '../../../support/processor-time.ts';

const version = '6.3';
const idOf = (place: number) => `S${'A'.repeat(place)}`;
const screensOf = (count: number, children: object[] = []) =>
  Array.from({ length: count }, (_, place) => ({
    id: idOf(place),
    title: 'Screen',
    data: {},
    terminal: true,
    layout: { type: 'SingleColumnLayout', children },
  }));
const link = {
  type: 'EmbeddedLink',
  text: 'On',
  'on-click-action': { name: 'navigate', next: { type: 'screen', name: 'SA' }, payload: {} },
};
const names = (count: number) => Array.from({ length: count }, (_, number) => `k${number}`);

/** Each twice as large in two ways. */
const documents: [string, (size: number) => object][] = [
  [
    'links to a screen that expects many names',
    (size) => {
      const [first, second] = screensOf(2, Array(size).fill(link));
      return {
        screens: [
          first,
          {
            ...second,
            layout: { type: 'SingleColumnLayout', children: [] },
            data: Object.fromEntries(names(8 * size).map((name) => [name, 0])),
          },
        ],
      };
    },
  ],
  [
    'a routing model that lists a screen again and again',
    (size) => ({
      screens: screensOf(100),
      routing_model: Object.fromEntries(
        Array.from({ length: 100 }, (_, place) => [
          idOf(place),
          [...Array(size / 4).fill('S'), ...screensOf(100).map(({ id }) => id)],
        ]),
      ),
    }),
  ],
];

test.each(documents)('%s: twice as many take less than three times the processor time', async (_name, documentOf) => {
  const least = async (size: number) => {
    const flowJson = { version, data_api_version: '3.0', routing_model: {}, ...documentOf(size) };
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1)
      times.push((await processorMs(() => checkFlow({ flowJson, jsonVersion: version, dataApiVersion: '3.0' }))).own);
    return Math.min(...times);
  };
  const [once, twice] = [await least(3_000), await least(6_000)];
  expect(twice).toBeLessThan(3 * Math.max(once, 20));
});
