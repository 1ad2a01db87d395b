import { anything, bool, fields, name, oneOf, options, type Rules, text, whole } from './properties.ts';

const visible = { visible: bool };
const styled = {
  ...visible,
  'font-weight': oneOf('bold', 'italic', 'bold_italic', 'normal'),
  strikethrough: bool,
  markdown: bool,
};
const field = { ...visible, required: bool, enabled: bool, 'init-value': anything, 'error-message': anything };
const helped = { ...field, 'helper-text': text(80, 0), 'label-variant': oneOf('large') };
const selecting = { 'on-select-action': fields, 'on-unselect-action': fields, description: text(300, 0) };
const many = { 'min-selected-items': whole, 'max-selected-items': whole };

/** The provider's components, with the lengths it names on its pages about them. */
export const components: Record<string, Rules> = {
  TextHeading: { required: { text: text(80) }, optional: visible },
  TextSubheading: { required: { text: text(80) }, optional: visible },
  TextBody: { required: { text: text(4_096) }, optional: styled },
  TextCaption: { required: { text: text(409) }, optional: styled },
  RichText: { required: { text: anything }, optional: visible },
  TextInput: {
    required: { label: text(20), name },
    optional: {
      ...helped,
      'input-type': oneOf('text', 'number', 'email', 'password', 'passcode', 'phone'),
      pattern: text(1_000),
      'min-chars': whole,
      'max-chars': whole,
    },
  },
  TextArea: { required: { label: text(20), name }, optional: { ...helped, 'max-length': whole } },
  CheckboxGroup: {
    required: { name, label: text(30), 'data-source': options(1, 20) },
    optional: { ...field, ...selecting, ...many, 'media-size': oneOf('regular', 'large') },
  },
  ChipsSelector: {
    required: { name, label: text(80), 'data-source': options(2, 20) },
    optional: { ...field, ...selecting, ...many },
  },
  RadioButtonsGroup: {
    required: { name, label: text(30), 'data-source': options(1, 20) },
    optional: { ...field, ...selecting, 'media-size': oneOf('regular', 'large') },
  },
  Dropdown: { required: { name, label: text(20), 'data-source': options(1, 200) }, optional: { ...field, ...selecting } },
  OptIn: {
    required: { name, label: text(120) },
    optional: { ...field, 'on-click-action': fields, 'on-select-action': fields, 'on-unselect-action': fields },
  },
  EmbeddedLink: { required: { text: text(25), 'on-click-action': fields }, optional: visible },
  DatePicker: {
    required: { name, label: text(40) },
    optional: {
      ...field,
      'helper-text': text(80, 0),
      'min-date': anything,
      'max-date': anything,
      'unavailable-dates': anything,
      'on-select-action': fields,
    },
  },
  CalendarPicker: {
    required: { name, label: anything },
    optional: {
      ...field,
      title: text(80),
      description: text(300),
      'helper-text': anything,
      'min-date': anything,
      'max-date': anything,
      'unavailable-dates': anything,
      'include-days': anything,
      'min-days': whole,
      'max-days': whole,
      mode: oneOf('single', 'range'),
      'on-select-action': fields,
    },
  },
  Image: {
    required: { src: anything },
    optional: {
      ...visible,
      width: whole,
      height: whole,
      'scale-type': oneOf('cover', 'contain'),
      'aspect-ratio': anything,
      'alt-text': anything,
    },
  },
  ImageCarousel: { required: { images: anything }, optional: { ...visible, 'aspect-ratio': anything, 'scale-type': anything } },
  PhotoPicker: {
    required: { name, label: text(80) },
    optional: {
      ...field,
      description: text(300),
      'photo-source': oneOf('camera_gallery', 'camera', 'gallery'),
      'max-file-size-kb': whole,
      'min-uploaded-photos': whole,
      'max-uploaded-photos': whole,
    },
  },
  DocumentPicker: {
    required: { name, label: text(80) },
    optional: {
      ...field,
      description: text(300),
      'max-file-size-kb': whole,
      'min-uploaded-documents': whole,
      'max-uploaded-documents': whole,
      'allowed-mime-types': anything,
    },
  },
  NavigationList: {
    required: { name, 'list-items': anything },
    optional: { label: text(80), description: text(300), ...visible, 'media-size': anything, 'on-click-action': fields },
  },
  Footer: {
    required: { label: text(35), 'on-click-action': fields },
    optional: { enabled: bool, 'left-caption': text(15), 'center-caption': text(15), 'right-caption': text(15) },
  },
  // Their children are components again.
  Form: { required: { name }, optional: { 'init-values': anything, 'error-messages': anything, children: anything } },
  // biome-ignore lint/suspicious/noThenProperty: the provider's own word
  If: { required: { condition: anything }, optional: { then: anything, else: anything } },
  Switch: { required: { value: anything }, optional: { cases: anything } },
};

/** Those that hold what a person gives. */
export const inputs = new Set(
  Object.entries(components)
    .filter(([type, { required }]) => 'name' in required && type !== 'Form')
    .map(([type]) => type),
);

export const mostOnScreen: Record<string, number> = { Footer: 1, OptIn: 5, EmbeddedLink: 2, Image: 3 };
