/** Another run of the same job has written more of the import or export: this run ends and leaves the rest to it. */
export class Superseded extends Error {}
