import { type Json, object } from '../../providers/messaging-app/json.ts';
import { walkComponents } from './walk.ts';

/** By the name of the answer: what the person was asked, and the words of the options by their ids. Neither has a prototype. */
export type AnswerLabels = Record<string, { label: string; options?: Record<string, string> }>;

/** Of a document of any origin. A label that the endpoint gives is not known beforehand: it is left out, and so are its options. */
export function labelsOf(flowJson: unknown): AnswerLabels {
  const labels: AnswerLabels = Object.create(null);
  for (const screen of screensIn(flowJson))
    for (const { component } of walkComponents(screen)) {
      const { name, label } = component;
      if (typeof name !== 'string' || typeof label !== 'string' || isReference(label)) continue;
      // A name may be used again on a later screen; the first one that is asked gives the label.
      labels[name] ??= { label, ...optionsOf(component) };
    }
  for (const [name, asked] of sentAs(flowJson)) if (!labels[name] && labels[asked]) labels[name] = labels[asked];
  return labels;
}

/** The ids of the screens, in the order of the document. */
export const screensOf = (flowJson: unknown): string[] =>
  screensIn(flowJson).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));

const screensIn = (flowJson: unknown): Json[] => {
  const { screens } = object(flowJson);
  return Array.isArray(screens) ? screens.map(object) : [];
};

const isReference = (text: string) => /^\$\{.*\}$/.test(text);

function optionsOf(component: Json): { options?: Record<string, string> } {
  const source = component['data-source'];
  if (!Array.isArray(source)) return {};
  const options: Record<string, string> = Object.create(null);
  for (const one of source.map(object))
    if (typeof one.id === 'string' && typeof one.title === 'string') options[one.id] ??= one.title;
  return { options };
}

/** The payload that ends a flow may send an answer under another name. */
function sentAs(flowJson: unknown): [string, string][] {
  return screensIn(flowJson).flatMap((screen) =>
    [...walkComponents(screen)].flatMap(({ component }) => {
      const { name, payload } = object(component['on-click-action']);
      if (name !== 'complete') return [];
      return Object.entries(object(payload)).flatMap(([key, value]): [string, string][] => {
        const [, asked] = /^\$\{(?:screen\.\w+\.)?form\.(\w+)\}$/.exec(typeof value === 'string' ? value : '') ?? [];
        return asked === undefined ? [] : [[key, asked]];
      });
    }),
  );
}
