import type { Path } from '../platform/errors.ts';
import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import { buttonFaults } from './button-parameters.ts';
import { bodyTextOf, buttonsOf, cardsOf, fillIn, isNamed, list, partOf, placeholdersIn, wordOf } from './components.ts';
import { type Fault, throwFaults } from './faults.ts';
import { lengthOf, maxCode, maxFilled } from './limits.ts';
import { mediaFaults, shownText, textFaults } from './parameter-values.ts';

export type Template = { category: string; components: unknown[] };
type Sent = { component: Json; at: Path };

/** The last ones go through unchecked: they fill nothing that a template says. */
const known = ['header', 'body', 'button', 'carousel', 'limited_time_offer', 'tap_target_configuration', 'order_status'];
const once = ['header', 'body', 'carousel', 'limited_time_offer'];

/** Throws a 422 that says which parameter is missing or too many. `at`: where the message's components stand in the request. */
export function assertParameters(template: Template, given: unknown, at: Path): void {
  // Not known: every template has a body.
  if (template.components.length > 0) throwFaults(parameterFaults(template, list(given), at));
}

/** `maxBody`: characters of the filled body. */
export function parameterFaults(template: Template, given: unknown[], at: Path, maxBody = maxFilled.body): Fault[] {
  const { components } = template;
  const sent = given.map((one, index): Sent => ({ component: object(one), at: [...at, index] }));
  const ofType = (type: string) => sent.filter(({ component }) => typeOf(component) === type);
  return [
    ...unexpected(sent),
    ...headerFaults(partOf(components, 'HEADER'), ofType('header')[0], at),
    ...bodyFaults(template, ofType('body')[0], at, maxBody),
    ...buttonFaults(buttonsOf(components), ofType('button'), at),
    ...offerFaults(partOf(components, 'LIMITED_TIME_OFFER'), ofType('limited_time_offer')[0], at),
    ...cardFaults(template, ofType('carousel')[0], at),
  ];
}

export const typeOf = (component: Json) => textOf(component.type).toLowerCase();
export const parametersOf = (component: Json | undefined): Json[] => list(component?.parameters).map(object);

function unexpected(sent: Sent[]): Fault[] {
  const seen = new Set<string>();
  return sent.flatMap(({ component, at }): Fault[] => {
    const type = typeOf(component);
    const path = [...at, 'type'];
    if (!known.includes(type))
      return [{ path, code: 'template.component_unknown', message: `A message has no component of type ${type || 'none'}` }];
    if (once.includes(type) && seen.has(type))
      return [{ path, code: 'template.component_twice', message: `The component ${type} is given twice` }];
    seen.add(type);
    return [];
  });
}

function headerFaults(header: Json | undefined, sent: Sent | undefined, at: Path): Fault[] {
  const kind = header ? wordOf(header.format).toLowerCase() || 'text' : 'text';
  if (kind === 'text') return filledFaults('header', textOf(header?.text), sent, at, maxFilled.header);
  const path = sent ? [...sent.at, 'parameters'] : at;
  const [parameter, second] = parametersOf(sent?.component);
  if (!parameter) return [{ path, code: 'template.parameter_missing', message: `The header needs a parameter of type ${kind}` }];
  if (second) return [{ path: [...path, 1], code: 'template.parameter_unknown', message: `The header takes one ${kind}` }];
  return mediaFaults(kind, parameter, [...path, 0]);
}

function bodyFaults(template: Template, sent: Sent | undefined, at: Path, max: number): Fault[] {
  const faults = filledFaults('body', bodyTextOf(template), sent, at, max);
  if (faults.length > 0 || !sent || template.category.toLowerCase() !== 'authentication') return faults;
  return parametersOf(sent.component).flatMap((parameter, index): Fault[] =>
    lengthOf(shownText(parameter)) <= maxCode
      ? []
      : [
          {
            path: [...sent.at, 'parameters', index, 'text'],
            code: 'template.parameter_length',
            message: `A code to log in with has at most ${maxCode} characters`,
          },
        ],
  );
}

function filledFaults(what: 'header' | 'body', text: string, sent: Sent | undefined, at: Path, max: number): Fault[] {
  const names = placeholdersIn(text);
  const faults = placeholderFaults(what, names, sent, at);
  if (faults.length > 0 || !sent) return faults;
  const length = lengthOf(fillIn(text, valuesOf(parametersOf(sent.component), names)));
  return length <= max
    ? []
    : [
        {
          path: [...sent.at, 'parameters'],
          code: `template.${what}_length`,
          message: `The ${what} has ${length} characters with its parameters, and at most ${max} fit`,
        },
      ];
}

/** Of the placeholders of a text, for parameters that were checked. */
export function valuesOf(parameters: Json[], names: string[]): (name: string) => string {
  const numbers = inOrder(names);
  const values = new Map(
    parameters.map((parameter, index) => [
      isNamed(names) ? textOf(parameter.parameter_name) : (numbers[index] ?? ''),
      shownText(parameter),
    ]),
  );
  return (name) => values.get(name) ?? '';
}

function placeholderFaults(what: string, names: string[], sent: Sent | undefined, at: Path): Fault[] {
  const parameters = parametersOf(sent?.component);
  const path = sent ? [...sent.at, 'parameters'] : at;
  const counted = `The ${what} takes ${names.length} parameter${names.length === 1 ? '' : 's'} and got ${parameters.length}`;
  const faults = isNamed(names)
    ? namedFaults(what, names, parameters, path)
    : numberedFaults(counted, inOrder(names), parameters, path);
  return [...faults, ...parameters.slice(0, names.length).flatMap((one, index) => textFaults(one, [...path, index]))];
}

const inOrder = (names: string[]) => names.toSorted((one, other) => Number(one) - Number(other));

function numberedFaults(counted: string, names: string[], parameters: Json[], path: Path): Fault[] {
  const missing = names.slice(parameters.length).map(
    (name): Fault => ({
      path,
      code: 'template.parameter_missing',
      message: `${counted}: {{${name}}} is missing`,
    }),
  );
  const tooMany = parameters.slice(names.length).map(
    (_, index): Fault => ({
      path: [...path, names.length + index],
      code: 'template.parameter_unknown',
      message: `${counted}: this one is too many`,
    }),
  );
  const named = parameters.slice(0, names.length).flatMap((parameter, index): Fault[] =>
    parameter.parameter_name === undefined
      ? []
      : [
          {
            path: [...path, index, 'parameter_name'],
            code: 'template.parameter_name',
            message: 'The parameters of this template have numbers, not names: leave parameter_name out',
          },
        ],
  );
  return [...missing, ...tooMany, ...named];
}

function namedFaults(what: string, names: string[], parameters: Json[], path: Path): Fault[] {
  const given = parameters.map((parameter) => textOf(parameter.parameter_name));
  const missing = names
    .filter((name) => !given.includes(name))
    .map((name): Fault => ({ path, code: 'template.parameter_missing', message: `The ${what} needs the parameter ${name}` }));
  const wrong = given.flatMap((name, index): Fault[] => {
    const at = [...path, index, 'parameter_name'];
    if (!names.includes(name))
      return [
        {
          path: at,
          code: 'template.parameter_unknown',
          message: `The ${what} has no parameter ${name || 'without a name'}; it has ${names.join(', ')}`,
        },
      ];
    return given.indexOf(name) === index
      ? []
      : [{ path: at, code: 'template.parameter_twice', message: `The parameter ${name} is given twice` }];
  });
  return [...missing, ...wrong];
}

function offerFaults(offer: Json | undefined, sent: Sent | undefined, at: Path): Fault[] {
  if (object(offer?.limited_time_offer).has_expiration !== true) return [];
  const value = object(parametersOf(sent?.component)[0]?.limited_time_offer);
  return typeof value.expiration_time_ms === 'number'
    ? []
    : [
        {
          path: sent ? [...sent.at, 'parameters'] : at,
          code: 'template.parameter_missing',
          message: 'The offer needs limited_time_offer.expiration_time_ms',
        },
      ];
}

function cardFaults({ category, components }: Template, sent: Sent | undefined, at: Path): Fault[] {
  const cards = cardsOf(components);
  const given = list(sent?.component.cards).map(object);
  const path = sent ? [...sent.at, 'cards'] : at;
  if (given.length !== cards.length)
    return [
      {
        path,
        code: given.length < cards.length ? 'template.parameter_missing' : 'template.parameter_unknown',
        message: `The carousel has ${cards.length} cards and got ${given.length}`,
      },
    ];
  const seen = new Set<number>();
  return given.flatMap((one, place): Fault[] => {
    const index = textOf(one.card_index) === '' ? Number.NaN : Number(one.card_index);
    const card = cards[index];
    if (!card || seen.has(index))
      return [
        {
          path: [...path, place, 'card_index'],
          code: 'template.card_index',
          message: `Each card needs its own card_index, from 0 to ${cards.length - 1}`,
        },
      ];
    seen.add(index);
    const within = [...path, place, 'components'];
    return parameterFaults({ category, components: list(card.components) }, list(one.components), within, maxFilled.card);
  });
}
