import { type Json, object, textOf } from '../providers/messaging-app/json.ts';
import { list, wordOf } from './components.ts';

type Content = { category: string; components: unknown[] };

/** A template as it would be submitted: what the provider wrote itself in one for codes to log in with is left out. */
export function asSubmitted({ category, components }: Content): Content {
  const known = category.toLowerCase();
  if (known !== 'authentication') return { category: known, components: components.map(uppercased) };
  return { category: known, components: components.map((one) => codeComponent(uppercased(one))) };
}

const uppercased = (one: unknown): Json => {
  const component = object(one);
  return { ...component, type: wordOf(component.type) };
};

function codeComponent(component: Json): Json {
  const { text: _, example: __, ...rest } = component;
  if (component.type === 'BODY') return rest;
  if (component.type === 'FOOTER') return component.code_expiration_minutes === undefined ? component : rest;
  if (component.type !== 'BUTTONS') return component;
  return { ...component, buttons: list(component.buttons).map((button) => codeButton(object(button))) };
}

const codeButton = (button: Json): Json =>
  wordOf(button.type) === 'URL' && textOf(button.url).includes('/otp/code/')
    ? { type: 'OTP', otp_type: 'COPY_CODE', ...(button.text !== undefined && { text: button.text }) }
    : button;
