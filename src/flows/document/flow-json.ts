/** The provider's document, of whatever version. */
export type FlowJson = Record<string, unknown>;
