/** Versions of the document that the API takes. */
export const jsonVersions: readonly string[] = ['5.1', '6.0', '6.1', '6.2', '6.3', '7.0', '7.1', '7.2', '7.3'];

/** The protocol between phone and endpoint; the provider has this one. */
export const dataApiVersion = '3.0';

export type Limit = {
  max: number;
  min: number;
  /** The page of the provider's reference for developers that has the number, read as of April 2026; `ours` is stricter than it is. */
  source: 'components' | 'flowjson' | 'error-codes' | 'ours' | 'third parties';
  /** False: no page of the provider has it. */
  isConfirmed: boolean;
};

const of = (source: Limit['source'], max: number, min = 0): Limit => ({
  max,
  min,
  source,
  isConfirmed: source !== 'third parties',
});

/**
 * All numbers of the provider in one table. Texts are counted in Unicode characters, as JSON Schema's `maxLength` counts, since the
 * provider's faults are those of a JSON Schema; it says nowhere how it counts an emoji. `check-texts.ts` warns where UTF-16 would be over.
 */
export const limits = {
  documentBytes: of('flowjson', 10 * 2 ** 20),
  screens: of('error-codes', 100, 1),
  builderScreens: of('ours', 20, 1),
  branches: of('flowjson', 10),
  components: of('components', 50),
  footers: of('error-codes', 1),
  embeddedLinks: of('components', 2),
  optIns: of('components', 5),
  screenTitle: of('third parties', 60, 1),
  headingText: of('components', 80, 1),
  subheadingText: of('components', 80, 1),
  bodyText: of('components', 4_096, 1),
  captionText: of('components', 409, 1),
  inputLabel: of('components', 20, 1),
  areaLabel: of('components', 20, 1),
  dateLabel: of('components', 40, 1),
  dropdownLabel: of('components', 20, 1),
  groupLabel: of('components', 30, 1),
  groupDescription: of('components', 300),
  helperText: of('components', 80),
  optInLabel: of('components', 120, 1),
  linkText: of('components', 25, 1),
  footerLabel: of('components', 35, 1),
  footerCaption: of('components', 15),
  optionTitle: of('components', 30, 1),
  optionDescription: of('components', 300),
  optionMetadata: of('components', 20),
  dropdownOptions: of('components', 200, 1),
  /** Where one of them has an image. */
  dropdownOptionsWithImages: of('components', 100, 1),
  groupOptions: of('components', 20, 1),
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;

/** JSON values at any depth. Ours: it bounds how long a document holds the event loop. 20 screens of the builder that are full of options have 76,000. */
export const maxDocumentValues = 100_000;

/** Levels of nesting. The deepest component of the provider's reference needs about 20. */
export const maxDocumentDepth = 64;
