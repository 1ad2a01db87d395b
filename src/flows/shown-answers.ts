import type { FlowAnswer } from './answer.entity.ts';
import type { AnswerLabels } from './document/labels.ts';

type Label = AnswerLabels[string];

/** Each answer with what the person was asked and chose, in the words of the version that was sent; without labels by its name. */
export const shownAnswers = (data: Record<string, unknown>, labels: AnswerLabels | null): FlowAnswer[] =>
  Object.entries(data)
    .filter(([id]) => id !== 'flow_token')
    .map(([id, value]) => {
      // A field may be called as something every object has.
      const label = labels && Object.hasOwn(labels, id) ? labels[id] : undefined;
      return { id, label: label?.label ?? id, value, text: textOf(value, label) };
    });

function textOf(value: unknown, label: Label | undefined): string {
  if (Array.isArray(value)) return value.map((one) => textOf(one, label)).join(', ');
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  const options = label?.options;
  return options && Object.hasOwn(options, text) ? options[text]! : text;
}
