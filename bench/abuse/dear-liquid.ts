import { maxText, maxTogether } from '../../src/liquid/limits.ts';

const filter = '|plus:1';

/** One Liquid text of the greatest length, which takes about half of the work that texts may take together. Another number, another text. */
export function dearText(number: number): string {
  const begin = `{{ ${number}`;
  const end = ' }}';
  return begin + filter.repeat(Math.floor((maxText - begin.length - end.length) / filter.length)) + end;
}

/** As many as are rendered together, in a message or in a step of a rule. */
export const dearTexts = (number: number): string[] =>
  Array.from({ length: maxTogether.characters / maxText }, (_, index) => dearText(number + index));
