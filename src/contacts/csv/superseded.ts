/** Another run has moved an import or export meanwhile: this one leaves it to that one. */
export class MovedOn extends Error {}
