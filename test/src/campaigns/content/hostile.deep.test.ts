import { describe, expect, test } from '@jest/globals';
import { compile } from '../../../../src/campaigns/content/compile.ts';
import { forgetParsed } from '../../../../src/liquid/parsed.ts';
import { bestOf3 } from '../../../support/clock-reads.ts';
import { hostileTexts, largestContent, refusedTexts, rendering } from './hostile-texts.ts';
import { body, variant } from './sample.ts';

describe('refused when saved, within 150 ms:', () => {
  test.each(refusedTexts)('%s', (_title, text) => {
    expect(bestOf3(() => compile([variant(body(text))]), forgetParsed)).toBeLessThan(150);
  });
});

/** 2 to 25 ms were seen: the loop is held for one message at a time, and other jobs wait no longer. */
describe('rendered or cut off within 60 ms:', () => {
  test.each(hostileTexts)('%s', (_title, texts) => {
    const compiled = compile([variant(body(...texts))]);
    expect(bestOf3(() => rendering(compiled))).toBeLessThan(60);
  });
});

test('the largest content that may be saved is parsed within 150 ms', () => {
  expect(bestOf3(() => compile(largestContent()), forgetParsed)).toBeLessThan(150);
});
