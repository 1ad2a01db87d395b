/** Another run of the same job has written more: this run ends. */
export class Superseded extends Error {}
