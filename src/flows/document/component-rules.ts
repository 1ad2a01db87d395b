import type { LimitName } from './limits.ts';

/** What a component of the provider's document must have and may have, and which limit each of its texts has. */
export type ComponentRule = {
  required: string[];
  optional: string[];
  texts: Record<string, LimitName>;
  options?: 'dropdown' | 'group';
};

/** Of what is filled in. */
const shared = ['required', 'enabled', 'visible', 'init-value', 'error-message', 'on-select-action', 'on-unselect-action'];

const text = (limit: LimitName, ...optional: string[]): ComponentRule => ({
  required: ['text'],
  optional: ['visible', ...optional],
  texts: { text: limit },
});

const input = (label: LimitName, rule: Partial<ComponentRule> = {}): ComponentRule => ({
  required: ['name', 'label', ...(rule.required ?? [])],
  optional: [...shared, ...(rule.optional ?? [])],
  texts: { label, ...rule.texts },
  ...(rule.options ? { options: rule.options } : {}),
});

const group: Partial<ComponentRule> = {
  required: ['data-source'],
  optional: ['description', 'media-size', 'min-selected-items', 'max-selected-items'],
  texts: { description: 'groupDescription' },
  options: 'group',
};

const rules: Record<string, ComponentRule> = {
  TextHeading: text('headingText'),
  TextSubheading: text('subheadingText'),
  TextBody: text('bodyText', 'font-weight', 'strikethrough', 'markdown'),
  TextCaption: text('captionText', 'font-weight', 'strikethrough', 'markdown'),
  TextInput: input('inputLabel', {
    optional: ['input-type', 'pattern', 'min-chars', 'max-chars', 'helper-text', 'label-variant'],
    texts: { 'helper-text': 'helperText' },
  }),
  TextArea: input('areaLabel', {
    optional: ['max-length', 'helper-text', 'label-variant'],
    texts: { 'helper-text': 'helperText' },
  }),
  DatePicker: input('dateLabel', {
    optional: ['min-date', 'max-date', 'unavailable-dates', 'helper-text'],
    texts: { 'helper-text': 'helperText' },
  }),
  Dropdown: input('dropdownLabel', { required: ['data-source'], options: 'dropdown' }),
  RadioButtonsGroup: input('groupLabel', group),
  CheckboxGroup: input('groupLabel', group),
  OptIn: input('optInLabel', { optional: ['on-click-action'] }),
  EmbeddedLink: { required: ['text', 'on-click-action'], optional: ['visible'], texts: { text: 'linkText' } },
  Footer: {
    required: ['label', 'on-click-action'],
    optional: ['left-caption', 'center-caption', 'right-caption', 'enabled'],
    texts: {
      label: 'footerLabel',
      'left-caption': 'footerCaption',
      'center-caption': 'footerCaption',
      'right-caption': 'footerCaption',
    },
  },
};

/** Types that are not here are left to the provider. */
export const componentRules = new Map(Object.entries(rules));

export const inputTypes = ['text', 'number', 'email', 'password', 'passcode', 'phone'];

/** How many a screen may have. */
export const countLimits: [string, LimitName][] = [
  ['Footer', 'footers'],
  ['EmbeddedLink', 'embeddedLinks'],
  ['OptIn', 'optIns'],
];
