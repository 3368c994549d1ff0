// The list of entries of a zip archive. Only its end is read, with requests for ranges.

export interface Entry {
  name: string;
  /** Bytes, uncompressed. */
  size: number;
  isFolder: boolean;
}

export interface Archive {
  entries: Entry[];
  /** The number of entries, of which entries may have fewer. */
  total: number;
}

const endSize = 22, headerSize = 46, longestComment = 0xffff; // bytes
const endMark = 0x06054b50, headerMark = 0x02014b50;
const longestList = 4 << 20; // bytes of the list that are read

/** Reads the entries of an archive of a size in bytes. read returns a range of it. Throws if it is not an archive. */
export async function entriesOf(size: number, read: (from: number, to: number) => Promise<ArrayBuffer>): Promise<Archive> {
  const from = Math.max(0, size - endSize - longestComment), tail = new DataView(await read(from, size));
  let at = tail.byteLength - endSize;
  while (at >= 0 && tail.getUint32(at, true) !== endMark) at--;
  if (at < 0) throw new Error("The list of its files was not found.");
  const total = tail.getUint16(at + 10, true), length = tail.getUint32(at + 12, true), start = tail.getUint32(at + 16, true);
  if (start === 0xffffffff || total === 0xffff) throw new Error("Its list of files is too long to be shown.");
  if (start + length > from + at) throw new Error("The list of its files is damaged.");
  const list = new DataView(start >= from
    ? tail.buffer.slice(start - from, start - from + length)
    : await read(start, start + Math.min(length, longestList)));
  const entries: Entry[] = [], utf8 = new TextDecoder(), old = new TextDecoder("windows-1252");
  for (let next = 0; next + headerSize <= list.byteLength && list.getUint32(next, true) === headerMark;) {
    const nameLength = list.getUint16(next + 28, true), flags = list.getUint16(next + 8, true);
    if (next + headerSize + nameLength > list.byteLength) break;
    const bytes = new Uint8Array(list.buffer, next + headerSize, nameLength), name = (flags & 0x800 ? utf8 : old).decode(bytes);
    entries.push({ name, size: list.getUint32(next + 24, true), isFolder: name.endsWith("/") });
    next += headerSize + nameLength + list.getUint16(next + 30, true) + list.getUint16(next + 32, true);
  }
  return { entries, total };
}
