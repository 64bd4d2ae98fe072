// multipart/form-data, both ways (HTML Standard, "multipart/form-data encoding
// algorithm"; RFC 7578; the parser of the Fetch Standard's Body.formData).

import { blobBytes, File } from 'neuralis:web/blob';
import { concatBytes, fromByteString, fromUnits } from 'neuralis:web/encoding-bytes';
import { utf8Decode, utf8Encode } from 'neuralis:web/encoding-utf8';
import { FormData } from 'neuralis:web/formdata';

/** Serialises the fields; the boundary is a random one. */
export function encodeMultipart(form: FormData): { bytes: Uint8Array<ArrayBuffer>; boundary: string } {
  const boundary = `----formdata-${Array.from({ length: 3 }, () => Math.random().toString(36).slice(2, 12)).join('')}`;
  const chunks: Uint8Array[] = [];
  for (const [name, value] of form) {
    let head = `--${boundary}\r\nContent-Disposition: form-data; name="${escape(lines(name))}"`;
    if (typeof value === 'string') {
      chunks.push(utf8Encode(`${head}\r\n\r\n${lines(value)}\r\n`));
    } else {
      head += `; filename="${escape(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`;
      chunks.push(utf8Encode(head), blobBytes(value), utf8Encode('\r\n'));
    }
  }
  chunks.push(utf8Encode(`--${boundary}--\r\n`));
  return { bytes: concatBytes(chunks), boundary };
}

function lines(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n');
}

function escape(name: string): string {
  return name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}

/** Parses a body with that boundary; undefined when it is malformed. */
export function decodeMultipart(bytes: Uint8Array, boundary: string): FormData | undefined {
  // A byte string is searched natively, and its indexes are those of the bytes.
  const text = fromUnits(bytes);
  const delimiter = `--${boundary}`;
  const form = new FormData();
  let at = 0;
  while (text.startsWith('\r\n', at)) at += 2;
  if (!text.startsWith(delimiter, at)) return undefined;
  for (;;) {
    at += delimiter.length;
    if (text.startsWith('--', at)) return form;
    const line = /[\t ]*\r\n/y;
    line.lastIndex = at;
    if (!line.test(text)) return undefined;
    at = line.lastIndex;
    const headEnd = text.startsWith('\r\n', at) ? at : text.indexOf('\r\n\r\n', at);
    if (headEnd < 0) return undefined;
    const head = partHead(text.slice(at, headEnd));
    if (head === undefined) return undefined;
    const start = headEnd + (headEnd === at ? 2 : 4);
    // An empty part has no line break of its own before the delimiter.
    const end = text.indexOf(`\r\n${delimiter}`, start - 2);
    if (end < 0) return undefined;
    const content = bytes.subarray(start, Math.max(start, end));
    if (head.filename === undefined) form.append(head.name, utf8Decode(content).replace(/^\ufeff/, ''));
    else form.append(head.name, new File([content], head.filename, { type: head.type ?? 'text/plain' }));
    at = end + 2;
  }
}

interface PartHead {
  name: string;
  filename?: string;
  type?: string;
}

function partHead(text: string): PartHead | undefined {
  let name: string | undefined;
  let filename: string | undefined;
  let type: string | undefined;
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) return undefined;
    const value = line.slice(colon + 1).trim();
    switch (line.slice(0, colon).trim().toLowerCase()) {
      case 'content-disposition':
        if (!/^form-data\s*;/i.test(value)) return undefined;
        name = parameter(value, 'name');
        filename = parameter(value, 'filename');
        break;
      case 'content-type':
        type = value;
        break;
    }
  }
  if (name === undefined) return undefined;
  return { name, ...(filename !== undefined && { filename }), ...(type !== undefined && { type }) };
}

function parameter(value: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^\\s;"]*))`, 'i').exec(value);
  const text = match?.[1] ?? match?.[2];
  if (text === undefined) return undefined;
  return utf8Decode(fromByteString(text)).replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
}
