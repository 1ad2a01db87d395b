import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import { indexOf, ruleOf } from './button-parameters.ts';
import { bodyTextOf, buttonsOf, cardsOf, fillIn, list, partOf, placeholdersIn, wordOf } from './components.ts';
import { shownMedia } from './parameter-values.ts';
import { parametersOf, type Template, typeOf, valuesOf } from './parameters.ts';

export type ShownButton = { type: string; text: string; value: string };
export type Preview = {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  buttons: ShownButton[];
  cards: Omit<Preview, 'cards'>[];
};

/** What the person sees. `sent` was checked by `assertParameters`. */
export function previewOf(template: Template, given: unknown): Preview {
  const sent = list(given).map(object);
  const carousel = sent.find((component) => typeOf(component) === 'carousel');
  const cards = list(carousel?.cards).map(object);
  return {
    ...shown(template, sent),
    cards: cardsOf(template.components).map((card, index) => {
      const filled = cards.find(({ card_index }) => Number(card_index) === index);
      const components = list(card.components);
      return shown({ category: template.category, components }, list(filled?.components).map(object));
    }),
  };
}

function shown(template: Template, sent: Json[]): Omit<Preview, 'cards'> {
  const { components } = template;
  const ofType = (type: string) => sent.find((component) => typeOf(component) === type);
  return {
    header: headerOf(partOf(components, 'HEADER'), ofType('header')),
    body: filled(bodyTextOf(template), ofType('body')),
    footer: footerOf(partOf(components, 'FOOTER')),
    buttons: buttonsOf(components).map((button, index) =>
      shownButton(
        button,
        sent.find((component) => typeOf(component) === 'button' && indexOf({ component, at: [] }) === index),
      ),
    ),
  };
}

function filled(text: string, sent: Json | undefined): string {
  const names = placeholdersIn(text);
  return fillIn(text, valuesOf(parametersOf(sent), names));
}

function headerOf(header: Json | undefined, sent: Json | undefined): Preview['header'] {
  if (!header) return null;
  const format = wordOf(header.format).toLowerCase() || 'text';
  if (format === 'text') return { format, text: filled(textOf(header.text), sent) };
  return { format, text: shownMedia(format, parametersOf(sent)[0] ?? {}) };
}

function footerOf(footer: Json | undefined): string {
  const minutes = textOf(footer?.code_expiration_minutes);
  return textOf(footer?.text) || (minutes && `This code expires in ${minutes} minutes.`);
}

/** `value`: what pressing it does: the address, the number, the code, or what comes back. */
function shownButton(button: Json, sent: Json | undefined): ShownButton {
  const [parameter] = parametersOf(sent);
  const given = ruleOf(button) ? textOf(parameter?.[textOf(parameter.type).toLowerCase()]) : '';
  const value = textOf(button.url) ? fillIn(textOf(button.url), () => given) : textOf(button.phone_number) || given;
  return { type: wordOf(button.type).toLowerCase(), text: textOf(button.text), value };
}
