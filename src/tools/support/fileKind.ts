import { nameOf } from '../../platform/workspacePaths.js';

/** The images that models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

interface Magic {
  kind: string;
  at?: number;
  bytes: string;
}

const magics: Magic[] = [
  { kind: 'PDF document', bytes: '%PDF-' },
  { kind: 'ZIP archive', bytes: 'PK\x03\x04' },
  { kind: 'gzip archive', bytes: '\x1f\x8b' },
  { kind: 'bzip2 archive', bytes: 'BZh' },
  { kind: 'xz archive', bytes: '\xfd7zXZ\0' },
  { kind: '7-Zip archive', bytes: '7z\xbc\xaf' },
  { kind: 'Zstandard archive', bytes: '\x28\xb5\x2f\xfd' },
  { kind: 'tar archive', at: 257, bytes: 'ustar' },
  { kind: 'SQLite database', bytes: 'SQLite format 3\0' },
  { kind: 'ELF program', bytes: '\x7fELF' },
  { kind: 'Windows program', bytes: 'MZ' },
  { kind: 'Mach-O program', bytes: '\xcf\xfa\xed\xfe' },
  { kind: 'WebAssembly module', bytes: '\0asm' },
  { kind: 'Java class', bytes: '\xca\xfe\xba\xbe' },
  { kind: 'BMP image', bytes: 'BM' },
  { kind: 'TIFF image', bytes: 'II*\0' },
  { kind: 'TIFF image', bytes: 'MM\0*' },
  { kind: 'icon', bytes: '\0\0\x01\0' },
  { kind: 'font', bytes: 'wOFF' },
  { kind: 'font', bytes: 'wOF2' },
  { kind: 'font', bytes: '\0\x01\0\0' },
  { kind: 'Ogg media', bytes: 'OggS' },
  { kind: 'MP3 audio', bytes: 'ID3' },
  { kind: 'MP4 media', at: 4, bytes: 'ftyp' },
  { kind: 'Matroska media', bytes: '\x1aE\xdf\xa3' },
];

const zipped: Record<string, string> = {
  docx: 'Word document',
  xlsx: 'Excel workbook',
  pptx: 'PowerPoint document',
  odt: 'OpenDocument text',
  ods: 'OpenDocument spreadsheet',
  jar: 'Java archive',
  vsix: 'VS Code extension',
};

/** The image type by its first bytes, whatever the file is called. */
export function imageTypeOf(start: Uint8Array): ImageType | undefined {
  if (startsWith(start, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(start, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(start, 'GIF87a') || startsWith(start, 'GIF89a')) return 'image/gif';
  if (startsWith(start, 'RIFF') && startsWith(start, 'WEBP', 8)) return 'image/webp';
  return undefined;
}

/** Whether the bytes are those of a PDF, which can begin like a text. */
export function isPdf(start: Uint8Array): boolean {
  return startsWith(start, '%PDF-');
}

/** What a binary file is, in words: by its first bytes, and for ZIP containers by its name. */
export function binaryKindOf(start: Uint8Array, path: string): string {
  const kind = magics.find((magic) => startsWith(start, magic.bytes, magic.at))?.kind ?? 'binary file';
  if (kind !== 'ZIP archive') return kind;
  return zipped[nameOf(path).split('.').at(-1)?.toLowerCase() ?? ''] ?? kind;
}

/** `text` has one character a byte. */
function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  if (bytes.length < at + text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
