import { maxConditions, maxLiquid, maxSteps, maxValueCharacters } from '../../src/automation/limits.ts';
import { maxTogether } from '../../src/liquid/limits.ts';
import { dearTexts } from './dear-liquid.ts';

export const eventName = 'bench';
/** What the event of a test may have, less what is around it. */
export const longText = 'a'.repeat(30_000);
/** What an event that is told may have. */
export const toldText = 'a'.repeat(15_000);

const field = 'event.data.text';
const trigger = { type: 'api', name: eventName };
const inBranches = 45;

/** Texts of the greatest length, each of which fits nearly everywhere in one of many `a`, and nowhere. */
const needles = {
  all: Array.from({ length: maxConditions }, (_, number) => {
    const end = `${number}b`;
    return { field, operator: 'not_contains', value: 'a'.repeat(maxValueCharacters - end.length) + end };
  }),
};
const fewNeedles = { all: needles.all.slice(0, 40) };

/** Steps that hold no more Liquid than this part of what a rule may have. */
export const dearSteps = (number: number, part = 1) =>
  Array.from({ length: Math.floor((maxLiquid * part) / maxTogether.characters) }, (_, step) => ({
    id: `step_${step}`,
    type: 'set_vars',
    vars: Object.fromEntries(dearTexts(number + 10 * step).map((text, index) => [`v${step}_${index}`, text])),
  }));

/** Nearly as large as a rule may be; its conditions hold of a text of many `a`. */
export const needlesRule = { name: 'Bench needles', trigger, conditions: needles, steps: dearSteps(1, 0.5) };

/** Thousands of conditions, none of which holds. */
export const branchesRule = {
  name: 'Bench branches',
  trigger,
  steps: [
    {
      id: 'choose',
      type: 'branch',
      branches: Array.from({ length: maxSteps }, () => ({
        conditions: { all: Array.from({ length: inBranches }, () => ({ field, operator: 'contains', value: 'aab' })) },
        steps: [],
      })),
    },
  ],
};

/** Its conditions hold, and all the Liquid that a rule may have is rendered. */
export const runningRule = { name: 'Bench', trigger, conditions: fewNeedles, concurrency: 'each', steps: dearSteps(1, 0.75) };
