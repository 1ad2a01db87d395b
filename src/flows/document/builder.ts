import Joi from 'joi';
import { faultIn } from '../../platform/storable.ts';

export const builderModes = ['visual', 'json'] as const;
export const actionTypes = ['navigate', 'complete', 'data_exchange', 'open_url'] as const;
export const componentTypes = [
  'heading',
  'subheading',
  'body',
  'caption',
  'text_input',
  'email',
  'phone',
  'number',
  'password',
  'passcode',
  'text_area',
  'date',
  'dropdown',
  'radio',
  'checkbox',
  'opt_in',
  'link',
] as const;

export type ActionType = (typeof actionTypes)[number];
export type ComponentType = (typeof componentTypes)[number];

export type Option = { id: string; label: string };
export type Component = {
  id: string;
  type: ComponentType;
  label?: string;
  helper_text?: string;
  placeholder?: string;
  text?: string;
  required?: boolean;
  options?: Option[] | null;
};
export type Action = { label: string; type: ActionType; target?: string; url?: string };
export type Screen = { id: string; title: string; actions: Action[] | null; components: Component[] | null };
export type BuilderJson = { mode: (typeof builderModes)[number]; flow: { id: string; name: string; screens: Screen[] | null } };

/**
 * What may be stored, which is more than what the provider takes: a draft with one option too many is saved, and `checkFlow` names the fault.
 */
const kept = { screens: 100, components: 200, actions: 10, options: 1_000, text: 10_000, id: 200, url: 2_000 };

/** PostgreSQL holds neither NUL nor half a surrogate pair. */
const storable = (text: string, { error }: Joi.CustomHelpers) => (faultIn(text) ? error(faultIn(text)!.code) : text);
const storableMessages = {
  'string.nul': '{{#label}} must not hold the NUL character',
  'string.unicode': '{{#label}} must not hold half a surrogate pair',
};
const text = (max: number) => Joi.string().max(max).custom(storable).messages(storableMessages);
const words = text(kept.text).allow('');
const screenIdForm = /^[A-Za-z][A-Za-z_]*$/;
const componentIdForm = /^[a-z][a-z0-9_]{0,63}$/;

const screenId = Joi.string().max(kept.id).pattern(screenIdForm, 'letters and underscores');
const componentId = Joi.string().pattern(componentIdForm, 'up to 64 lowercase letters, digits and underscores').max(64);

const option = Joi.object({
  id: text(kept.id).min(1).invalid('__proto__').required().description('What the answer holds'),
  label: words.required(),
});

const component = Joi.object({
  id: componentId.required().description('Of one that is filled in: the name of its answer'),
  type: Joi.string()
    .valid(...componentTypes)
    .required(),
  label: words.description('Of one that is filled in'),
  helper_text: words,
  placeholder: words.description('The provider has no place for it: shown as helper_text where that is empty'),
  text: words.description('Of heading, subheading, body, caption and link'),
  required: Joi.boolean().strict(),
  options: Joi.array().items(option).max(kept.options).allow(null).description('Of dropdown, radio and checkbox'),
});

const action = Joi.object({
  label: words.required().description('On the button, or of the link'),
  type: Joi.string()
    .valid(...actionTypes)
    .required(),
  target: text(kept.id)
    .allow('')
    .description(
      'navigate: the next screen. data_exchange: the screen that the endpoint may answer with. open_url: the link that opens it',
    ),
  url: text(kept.url).allow('').description('Of open_url'),
});

/** A list tells its first fault only: a body of empty objects has 19,000, which took 130 ms to tell. */
const firstFault: Joi.ValidationOptions = { abortEarly: true };

const screen = Joi.object({
  id: screenId.required(),
  title: words.required(),
  actions: Joi.array().items(action).max(kept.actions).allow(null).required().prefs(firstFault),
  components: Joi.array().items(component).max(kept.components).allow(null).required().prefs(firstFault),
});

/** `builder_json`, for the body of a request. What it lets through can be compiled and saved; whether the provider takes it says `checkFlow`. */
export const builderSchema: Joi.ObjectSchema<BuilderJson> = Joi.object<BuilderJson>({
  mode: Joi.string()
    .valid(...builderModes)
    .required()
    .description('visual: flow_json is made of the screens. json: flow_json is given'),
  flow: Joi.object({
    id: text(kept.id).allow('').required(),
    name: text(kept.id).allow('').required(),
    screens: Joi.array()
      .items(screen)
      .max(kept.screens)
      .allow(null)
      // biome-ignore lint/suspicious/noThenProperty: Joi's own word
      .when('...mode', { is: 'json', then: Joi.valid(null) })
      .required(),
  }).required(),
});

/** What `builderSchema` says of screens whose values are of the right types already, in a fraction of its time. NUL and halves are not looked for. */
export const isBuildable = (screens: Screen[]): boolean =>
  screens.length <= kept.screens &&
  screens.every(
    ({ id, title, components, actions }) =>
      id.length <= kept.id &&
      screenIdForm.test(id) &&
      title.length <= kept.text &&
      (components ?? []).length <= kept.components &&
      (components ?? []).every(isBuildableComponent) &&
      (actions ?? []).length <= kept.actions &&
      (actions ?? []).every(isBuildableAction),
  );

const isBuildableComponent = ({ id, label = '', helper_text = '', text = '', options }: Component): boolean =>
  componentIdForm.test(id) &&
  Math.max(label.length, helper_text.length, text.length) <= kept.text &&
  (options ?? []).length <= kept.options &&
  (options ?? []).every(
    (one) => one.id !== '' && one.id !== '__proto__' && one.id.length <= kept.id && one.label.length <= kept.text,
  );

const isBuildableAction = ({ type, label, target = '', url = '' }: Action): boolean =>
  actionTypes.includes(type) && label.length <= kept.text && target.length <= kept.id && url.length <= kept.url;
