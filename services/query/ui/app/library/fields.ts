// The fields of the records of a file.

/** A field or a property of the records, as described by the metadata. */
export interface Field {
  name: string;
  property?: boolean;
  type?: string;
  count?: number;
  min?: unknown;
  max?: unknown;
}

/** Returns the fields that the metadata of a file describes. */
export function fieldsOf(metadata: Record<string, unknown>): Field[] {
  const { fields } = metadata;
  return Array.isArray(fields)
    ? fields.filter((f): f is Field => typeof f === "object" && f !== null && typeof (f as Field).name === "string")
    : [];
}

/** Reports whether values of a type are numbers. */
export const isNumeric = (type: string | undefined): boolean => type === "number" || type === "integer";

/** A list of names in the format of the API: names that contain a comma or quotation mark are quoted. */
export function listed(names: string[]): string {
  return names.map((n) => /[",]/.test(n) ? `"${n.replaceAll("\"", "\"\"")}"` : n).join(",");
}
