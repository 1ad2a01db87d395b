import { Liquid } from 'liquidjs';
import { boundedFilters, boundedOperators, shown } from './filters.ts';
import { maxMs, maxText, maxWork } from './limits.ts';

/** `else`, `elsif`, `when` and the ends belong to these. No loops, no includes. */
export const blockTags = ['if', 'unless', 'case'];
const ownTags = [...blockTags, 'assign'];

function createEngine(): Liquid {
  const liquid = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    // A missing value may be asked for (`if`, `case`, `assign`) and replaced (`default` as the first filter), and not shown.
    lenientIf: true,
    parseLimit: maxText,
    memoryLimit: maxWork,
    renderLimit: maxMs,
    operators: boundedOperators,
    outputEscape: shown,
    // Instead of the disk, for tags that are not there anyway.
    templates: {},
    locale: 'en-US',
  });
  for (const name of Object.keys(liquid.tags)) if (!ownTags.includes(name)) delete liquid.tags[name];
  for (const name of Object.keys(liquid.filters)) delete liquid.filters[name];
  for (const [name, filter] of boundedFilters()) liquid.registerFilter(name, filter);
  return liquid;
}

export const engine = createEngine();

const ends = blockTags.map((name) => `end${name}`);
export const isEnd = (name: string) => ends.includes(name);
export const isAllowedTag = (name: string) => [...ownTags, ...ends, 'else', 'elsif', 'when'].includes(name);
