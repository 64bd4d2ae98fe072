// Media types as far as bodies need them (MIME Sniffing Standard, section 4):
// the essence, the parameters, and writing both down again.

export interface MediaType {
  essence: string;
  parameters: Map<string, string>;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Parses one media type; undefined when it is none. */
export function parseMediaType(input: string): MediaType | undefined {
  const text = input.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  const semicolon = text.indexOf(';');
  const [type, subtype, ...more] = (semicolon < 0 ? text : text.slice(0, semicolon)).replace(/[\t\n\r ]+$/, '').split('/');
  if (subtype === undefined || more.length > 0 || !TOKEN.test(type!) || !TOKEN.test(subtype)) return undefined;
  const parameters = new Map<string, string>();
  if (semicolon >= 0) {
    // name=value or name="quoted\"value"; whatever follows a quoted value is dropped.
    for (const [, name, quoted, plain] of text.slice(semicolon).matchAll(/;[\t\n\r ]*([^;=]*)(?:=(?:"((?:[^"\\]|\\.?)*)"?[^;]*|([^;]*)))?/gs)) {
      const value = quoted !== undefined ? quoted.replace(/\\(.)/gs, '$1') : plain?.replace(/[\t\n\r ]+$/, '');
      const key = name!.toLowerCase();
      if (value === undefined || (quoted === undefined && value === '') || !TOKEN.test(key) || /[^\t -~\x80-\xff]/.test(value)) continue;
      if (!parameters.has(key)) parameters.set(key, value);
    }
  }
  return { essence: `${type!.toLowerCase()}/${subtype.toLowerCase()}`, parameters };
}

export function serializeMediaType(type: MediaType): string {
  let text = type.essence;
  for (const [name, value] of type.parameters) {
    text += `;${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
  }
  return text;
}

/** The media type of Content-Type header values (Fetch Standard, "extract a MIME type"). */
export function mediaTypeOf(values: readonly string[]): MediaType | undefined {
  let found: MediaType | undefined;
  let charset: string | undefined;
  for (const part of values.join(',').match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/gs) ?? []) {
    const type = parseMediaType(part);
    if (type === undefined || type.essence === '*/*') continue;
    if (type.essence !== found?.essence) charset = type.parameters.get('charset');
    else if (!type.parameters.has('charset') && charset !== undefined) type.parameters.set('charset', charset);
    found = type;
  }
  return found;
}
