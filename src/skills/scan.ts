import { reasonOf } from '../platform/reason.js';
import { join } from 'node:path';
import { decodeText } from '../platform/encoding.js';
import { codeOf } from '../platform/fileErrors.js';
import type { Files, FileStat } from '../platform/ports.js';
import { isInside } from '../platform/workspacePaths.js';
import { english, englishReason, WordsError, type Words } from '../platform/words.js';
import { problemOf, type SkillProblem } from './frontmatter.js';
import { emptyManifest, readManifest, type SkillManifest } from './manifest.js';
import type { SkillSource } from './skill.js';

/** Bytes of a SKILL.md that are read: its head, and all of a body that a prompt has room for. */
export const READ_BYTES = 131_072;
/** Characters of a body that a prompt holds. */
export const MAX_BODY = 24_000;
/** Bytes of a SKILL.md from which on it is named. */
const LARGE = 200_000;
/** Skills read at a time: what they take of the thread stays short. */
const BATCH = 8;
/** Scripts of one skill that are looked at. */
const MAX_SCRIPTS = 20;

export interface ScanDeps {
  files: Files;
  realPath(path: string): Promise<string>;
  /** "Linux", "macOS", "Windows". */
  os: string;
}

/** A SKILL.md that was found, as it was read. */
export interface FoundSkill {
  name: string;
  path: string;
  folder: string;
  source: SkillSource;
  /** The same as long as the file and its scripts did not change. */
  stamp: string;
  manifest: SkillManifest;
}

/**
 * Reads the skills of these sources in their order. What has the same stamp as in `known` (by path) is not read again. Never throws: what cannot
 * be read is a skill with an error.
 */
export async function scanSources(
  deps: ScanDeps,
  sources: readonly SkillSource[],
  known: ReadonlyMap<string, FoundSkill>,
): Promise<FoundSkill[]> {
  const found: FoundSkill[] = [];
  const real = await Promise.all(sources.map(({ folder }) => deps.realPath(folder).catch(() => folder)));
  for (const [index, source] of sources.entries()) {
    // A home that is opened as a folder holds personal skills, not the workspace's.
    if (real.lastIndexOf(real[index] ?? '') > index) continue;
    const names = await namesIn(deps.files, source.folder);
    for (let at = 0; at < names.length; at += BATCH) {
      const batch = names.slice(at, at + BATCH);
      const skills = await Promise.all(batch.map((name) => skillAt(deps, source, name, known)));
      found.push(...skills.filter((skill) => skill !== undefined));
    }
  }
  return found;
}

/** Folders and links of a source by name; none where it cannot be listed. */
async function namesIn(files: Files, folder: string): Promise<string[]> {
  const entries = await files.list(folder).catch(() => []);
  return entries.filter(({ type }) => type === 'directory' || type === 'symlink').map(({ name }) => name);
}

/** Undefined where the folder holds no SKILL.md. */
async function skillAt(
  deps: ScanDeps,
  source: SkillSource,
  name: string,
  known: ReadonlyMap<string, FoundSkill>,
): Promise<FoundSkill | undefined> {
  const folder = join(source.folder, name);
  const path = join(folder, 'SKILL.md');
  const skill = { name, path, folder, source };
  try {
    const stat = await deps.files.stat(path);
    if (!stat) return undefined;
    if (stat.type !== 'file')
      return { ...skill, stamp: 'folder', manifest: broken((t) => t('SKILL.md is not a file.')) };
    const scripts = await scriptsOf(deps, folder);
    const stamp = `${stampOf(stat)} ${scripts.join(' ')} ${source.within ?? ''}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return { ...before, source };
    const manifest = await manifestAt(deps, skill, stat.size);
    manifest.problems.push(...scripts.map(notExecutable));
    return { ...skill, stamp, manifest };
  } catch (cause) {
    return { ...skill, stamp: 'unreadable', manifest: broken(unreadable(cause)) };
  }
}

async function manifestAt(
  deps: ScanDeps,
  { name, path, source }: Pick<FoundSkill, 'name' | 'path' | 'source'>,
  size: number,
): Promise<SkillManifest> {
  const text = await readSkillText(deps, path, source);
  if (text === undefined) return broken((t) => t('SKILL.md is not a text. Write it as Markdown in UTF-8.'));
  const manifest = await readManifest(text, name);
  const { problems, body, always } = manifest;
  if (size > LARGE) {
    const much = `${(size / 1_000_000).toFixed(1)} MB`;
    problems.push(
      warn((t) => t('It has {0}; {1} characters of it are loaded. Move details to references/.', much, MAX_BODY)),
    );
  } else if (always && body.length > MAX_BODY) {
    problems.push(
      warn((t) => t('Its body has {0} characters; the first {1} stand in prompts.', body.length, MAX_BODY)),
    );
  }
  // A body is read again when it is asked for.
  return { ...manifest, body: always ? boundedBody(body, path) : '' };
}

/**
 * The text of a SKILL.md as far as it is ever used; undefined where it is binary. Throws where it cannot be read, or leads out of where its source
 * may reach.
 */
export async function readSkillText(
  { files, realPath }: Pick<ScanDeps, 'files' | 'realPath'>,
  path: string,
  { within }: SkillSource,
): Promise<string | undefined> {
  if (within !== undefined) {
    const [real, root] = [await realPath(path), await realPath(within)];
    if (!isInside(real, root))
      throw new WordsError((t) => t('SKILL.md is a link that leads out of the workspace, to {0}.', real));
  }
  const bytes = await files.readRange(path, 0, READ_BYTES);
  return decodeText(bytes.length < READ_BYTES ? bytes : wholeCharacters(bytes))?.text;
}

/** Without the last character, which a cut may have split. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length - 1;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** A body as a prompt holds it, and where the rest is. */
export function boundedBody(body: string, path: string): string {
  const text = body.trim();
  return text.length <= MAX_BODY ? text : `${text.slice(0, MAX_BODY)}\n\n… cut here; read the rest at ${path}`;
}

/** Names of scripts that are made to be run and may not be. */
async function scriptsOf({ files, os }: ScanDeps, folder: string): Promise<string[]> {
  if (os === 'Windows') return [];
  const entries = await files.list(join(folder, 'scripts')).catch(() => []);
  const names: string[] = [];
  for (const { name } of entries.filter(({ type }) => type === 'file').slice(0, MAX_SCRIPTS)) {
    const path = join(folder, 'scripts', name);
    const mode = (await files.stat(path).catch(() => undefined))?.mode;
    if (mode === undefined || (mode & 0o111) !== 0) continue;
    const start = await files.readRange(path, 0, 2).catch(() => new Uint8Array());
    if (start[0] === 0x23 && start[1] === 0x21) names.push(name);
  }
  return names;
}

function stampOf({ size, mtime, ino }: FileStat): string {
  return `${String(mtime)}:${String(size)}:${String(ino ?? 0)}`;
}

function notExecutable(name: string): SkillProblem {
  return warn((t) =>
    t('scripts/{0} may not be run as it is: allow it with chmod +x, or run it with its interpreter.', name),
  );
}

function warn(words: Words): SkillProblem {
  return problemOf('warning', 1, words);
}

function broken(words: Words): SkillManifest {
  return { ...emptyManifest(''), problems: [problemOf('error', 1, words)] };
}

function unreadable(cause: unknown): Words {
  switch (codeOf(cause)) {
    case 'ELOOP':
      return (t) => t('Its symbolic links go in a circle.');
    case 'EACCES':
    case 'EPERM':
      return (t) => t('It may not be read: look at its permissions.');
    case undefined:
      return (t) => (t === english ? englishReason(cause) : reasonOf(cause));
    default:
      return (t) => t('It could not be read: {0}.', reasonOf(cause));
  }
}
