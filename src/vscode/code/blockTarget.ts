/** A code block of an answer, as the page hands it on. */
export interface CodeBlock {
  text: string;
  /** What stands behind the fence's marks, such as `ts src/a.ts`. */
  info: string;
  /** Paths named in the text just before the block. */
  named: string[];
}

/** What a block says of itself. */
export interface BlockTarget {
  /** The language as it was written, in small letters; empty where none was. */
  language: string;
  /** Paths the block may belong to, as they were written: one, several between which a person has to choose, or none. */
  paths: string[];
  /** The code without a first line that only says which file it is of. */
  text: string;
}

/** Longer ones are no paths. */
const LONGEST_PATH = 400;
const ENDING = /\.[A-Za-z][\w-]{0,11}$/;
/** Files without an ending that people write blocks of. */
const BARE_NAMES = /(?:^|[\\/])(?:Makefile|Dockerfile|Containerfile|Gemfile|Rakefile|Procfile|Jenkinsfile|LICENSE)$/;
const ATTRIBUTE = /(?:^|[\s{,])(?:title|file|filename|filepath|path|name)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s},]+))/i;
/** A first line that is a comment and nothing but a path, perhaps after "File:". */
const COMMENT =
  /^\s*(?:\/\/+|#+|--|;+|%+|\/\*+|<!--|\{\/\*|REM\b|')\s*(?:(?:file(?:name|path)?|path)\s*:\s*)?[`"']?([^\s`"'*]+)[`"']?\s*(?:\*\/\}?|-->)?\s*$/i;

/**
 * Reads which file a block is of: the fence's words (`ts src/a.ts`, `ts:src/a.ts`, `src/a.ts`, `title="src/a.ts"`), else the header of a diff,
 * else a first line that is a comment with a path, else what the text just before names.
 */
export function blockTarget({ text, info, named }: CodeBlock): BlockTarget {
  const language = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? '';
  const inFence = pathInFence(info.trim(), language);
  const isPath = inFence !== undefined && inFence === info.trim();
  const small = isPath ? languageOfPath(inFence) : language.toLowerCase();
  const inDiff = pathOfDiff(text);
  const firstLine = /^[^\n]*/.exec(text)?.[0] ?? '';
  const inComment = text.startsWith('#!') ? undefined : asPath(COMMENT.exec(firstLine.slice(0, 500))?.[1]);
  const rest = inComment === undefined ? text : text.slice(firstLine.length).replace(/^\n/, '');
  const own = inFence ?? inDiff ?? inComment;
  const paths = own === undefined ? named.map(asPath).filter((path) => path !== undefined) : [own];
  return { language: small, paths: [...new Set(paths)], text: rest };
}

/**
 * A written path as it can be looked for, or undefined where it is none: an address of any kind but `file:` on this machine, a network share, or
 * something with characters no path has.
 */
export function asPath(written: string | undefined): string | undefined {
  const path = (written ?? '')
    .trim()
    .replace(/^file:\/\/(?=\/)/i, '')
    .replace(/(?::\d{1,7}){1,2}$|#L\d.*$/, '');
  if (path === '' || path.length > LONGEST_PATH || /[\p{Cc}\p{Cf}<>|"*?]/u.test(path)) return undefined;
  // A drive letter looks like a scheme of one letter.
  if (/^[a-z][a-z\d+.-]+:/i.test(path) || /^[\\/]{2}/.test(path) || /[\\/]$/.test(path)) return undefined;
  if (/^\.*$/.test(path)) return undefined;
  return ENDING.test(path) || BARE_NAMES.test(path) || /(?:^|[\\/])\.[\w-]+$/.test(path) ? path : undefined;
}

function pathInFence(info: string, language: string): string | undefined {
  const attribute = ATTRIBUTE.exec(info);
  if (attribute) return asPath(attribute[1] ?? attribute[2] ?? attribute[3]);
  const [first = '', second = ''] = info.split(/\s+/);
  const isDrive = /^[a-z]:[\\/]/i.test(first);
  const behindColon = first.startsWith(`${language}:`) && !isDrive ? first.slice(language.length + 1) : undefined;
  if (behindColon !== undefined && behindColon !== '') return asPath(behindColon);
  // `objective-c++` and `asp.net` are languages: a file in the place of the language has a folder or a known form.
  const alone = /[\\/]/.test(first) || /^[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}$/i.test(first) ? asPath(first) : undefined;
  return alone ?? (/^[[({]/.test(second) ? undefined : asPath(second));
}

function pathOfDiff(text: string): string | undefined {
  const header = /^--- (?:a\/)?([^\t\n]+)[^\n]*\n\+\+\+ (?:b\/)?([^\t\n]+)/m.exec(text.slice(0, 4_000));
  if (!header) return undefined;
  return asPath(header[2]) ?? asPath(header[1]);
}

function languageOfPath(path: string): string {
  return /\.([\w-]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
