// Conditions of the filter of records, as the API reads them.

/** The name of a field: quoted, unless it is a word. */
export const fieldName = (name: string): string => /^[A-Za-z_]\w*$/.test(name) && !/^(and|or|not)$/i.test(name) ? name : quoted(name);

/** A text in quotation marks. There is no way to write one that contains both kinds, so that one is left out. */
export const quoted = (text: string): string => text.includes("\"") ? `'${text.replaceAll("'", "")}'` : `"${text}"`;

/** Numbers in a range, of which an end may be empty. */
export function between(name: string, from: string, to: string): string {
  return [from && `${fieldName(name)} >= ${from}`, to && `${fieldName(name)} <= ${to}`].filter(Boolean).join(" and ");
}

export const contains = (name: string, text: string): string => text && `${fieldName(name)} ~ ${quoted(text)}`;
export const equals = (name: string, value: string): string => `${fieldName(name)} = ${quoted(value)}`;

/** A filter with another condition. */
export function both(filter: string, condition: string): string {
  if (!filter) return condition;
  return `${/\bor\b/i.test(filter) ? `(${filter})` : filter} and ${condition}`;
}
