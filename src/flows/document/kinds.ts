import type { ComponentType } from './builder.ts';

/** What a component of the builder is in the provider's document, and where its texts go. */
export type Kind = {
  type: string;
  inputType?: string;
  /** Filled in by the person: its id is the name of the answer. */
  isInput: boolean;
  hasOptions?: boolean;
  /** Where `helper_text` goes; absent: there is no place for it. */
  helper?: 'helper-text' | 'description';
};

const text = (type: string): Kind => ({ type, isInput: false });
const input = (inputType: string): Kind => ({ type: 'TextInput', inputType, isInput: true, helper: 'helper-text' });

export const kinds: Record<ComponentType, Kind> = {
  heading: text('TextHeading'),
  subheading: text('TextSubheading'),
  body: text('TextBody'),
  caption: text('TextCaption'),
  text_input: input('text'),
  email: input('email'),
  phone: input('phone'),
  number: input('number'),
  password: input('password'),
  passcode: input('passcode'),
  text_area: { type: 'TextArea', isInput: true, helper: 'helper-text' },
  date: { type: 'DatePicker', isInput: true, helper: 'helper-text' },
  dropdown: { type: 'Dropdown', isInput: true, hasOptions: true },
  radio: { type: 'RadioButtonsGroup', isInput: true, hasOptions: true, helper: 'description' },
  checkbox: { type: 'CheckboxGroup', isInput: true, hasOptions: true, helper: 'description' },
  opt_in: { type: 'OptIn', isInput: true },
  link: { type: 'EmbeddedLink', isInput: false },
};
