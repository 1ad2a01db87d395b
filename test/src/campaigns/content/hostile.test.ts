import { describe, expect, jest, test } from '@jest/globals';
import { compile } from '../../../../src/campaigns/content/compile.ts';
import { engine } from '../../../../src/liquid/engine.ts';
import { maxText, maxTogether, maxWork } from '../../../../src/liquid/limits.ts';
import { forgetParsed } from '../../../../src/liquid/parsed.ts';
import { liquidWork } from '../../../support/liquid-work.ts';
import { hostileTexts, largestContent, refusedTexts, rendering } from './hostile-texts.ts';
import { body, variant } from './sample.ts';

/** The lengths of the texts that the engine parses in `work`, none of which was parsed before. */
function parsedLengths(work: () => void): number[] {
  forgetParsed();
  const parse = jest.spyOn(engine, 'parse');
  try {
    work();
    return parse.mock.calls.map(([text]) => text.length);
  } finally {
    parse.mockRestore();
  }
}

describe('refused when saved, and parsed once and only while short:', () => {
  test.each(refusedTexts)('%s', (_title, text) => {
    let count = 0;
    const lengths = parsedLengths(() => {
      count = compile([variant(body(text))]).faults.length;
    });
    expect(count).toBe(1);
    expect(lengths.length).toBeLessThanOrEqual(1);
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(maxText);
  });
});

/** The shortest step that a text can name, `|plus:1`, has 7 characters; a tag or an output is read twice. */
const maxSteps = maxTogether.characters / 7 + 2 * maxTogether.nodes;

describe('rendered or cut off in a bounded number of steps:', () => {
  test.each(hostileTexts)('%s', (_title, texts) => {
    const compiled = compile([variant(body(...texts))]);
    expect(compiled.faults).toEqual([]);
    let result: unknown;
    const { steps, characters } = liquidWork(() => {
      result = rendering(compiled);
    });
    expect(steps).toBeLessThan(maxSteps);
    expect(characters).toBeLessThanOrEqual(maxWork);
    expect(JSON.stringify(result)).not.toMatch(/\[native code\]|\[object/);
  });
});

test('the largest content that may be saved is parsed once for each different text', () => {
  const lengths = parsedLengths(() => expect(compile(largestContent()).faults).toEqual([]));
  expect(lengths).toHaveLength(1);
});

test('only the allowed filters and tags are there, in whatever version of the engine', async () => {
  const { allowedFilters } = await import('../../../../src/liquid/filters.ts');
  expect(Object.keys(engine.filters).sort()).toEqual([...allowedFilters].sort());
  expect(Object.keys(engine.tags).sort()).toEqual(['assign', 'case', 'if', 'unless']);
  expect(Object.values(engine.filters).every((filter) => typeof filter === 'function')).toBe(true);
});
