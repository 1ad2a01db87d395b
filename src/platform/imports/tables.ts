/** Where the imports of one area are stored. All areas have the same columns; an area may add its own to `imports`. */
export type ImportTables = {
  imports: string;
  /** The file as it came, in pieces; deleted when the import has ended. */
  chunks: string;
  errors: string;
  /** One import at a time per organization: of two files about one object, the later one wins. */
  lane(organizationId: string): string;
};
