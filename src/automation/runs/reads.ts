import type { Step } from '../definition/definition.ts';

type Of<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** What follows it is another look. */
export const isTurn = ({ type }: Step) => type === 'branch' || type === 'wait_for' || type === 'wait' || type === 'stop';

/** What a step itself reads when it is its turn, without the steps within it. */
export function readBy(step: Step): unknown[] {
  switch (step.type) {
    case 'branch':
      return (step as Of<'branch'>).branches.map(({ conditions }) => conditions);
    case 'wait_for':
      return [];
    default:
      return [step];
  }
}
