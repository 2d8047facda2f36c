import { isAbsolute, join, relative, resolve } from 'node:path';
import { encodeText, plainUtf8 } from '../../platform/encoding.js';
import { maskSecrets } from '../../platform/maskSecrets.js';
import { sameBytes } from '../../platform/sameBytes.js';
import { ToolError } from '../../runner/tool.js';
import { Blocked } from './blocked.js';
import { MEMORY_FILES, type Finding, type MemoryFile } from './findings.js';
import { readHomeFile, requireInHome, type HomeFile, type HomeFilesDeps } from './homeFiles.js';
import { mergeTexts } from './merge.js';
import { skillProblem } from './skillText.js';
import { tooMuch } from './surgical.js';

/** Characters that one Dream may add to a file. */
const MAX_ADDED = 10_000;
/** Where the rules for skills can be read, unless the home has a skill of that name. */
export const GUIDE_PATH = 'skills/skill-creator/SKILL.md';

const SKILL_PATH = /^skills\/([^/]+)\/SKILL\.md$/;
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export interface WorkbenchDeps extends HomeFilesDeps {
  /** The text of the built-in skill that says how skills are written. */
  skillGuide(): Promise<string>;
}

/** What a Dream is to do: nothing beyond it is let through. */
export interface Plan {
  findings: readonly Finding[];
  /** MEMORY.md has become too long and is to be shortened. */
  condense: boolean;
}

/** A file as Dream leaves it. */
export interface StagedChange {
  /** Below the home, with `/`. */
  path: string;
  /** The bytes it stands on; undefined for a new file. */
  before: Uint8Array | undefined;
  after: Uint8Array;
}

interface Copy {
  base: HomeFile;
  text: string;
}

/**
 * The fence around the second phase, and its desk: the model works on copies, and not one byte on the disk changes while it does. Only files
 * that findings name can be edited, by small edits; only new skills that findings name can be written. Files that a person changes meanwhile
 * are taken in; where both changed the same lines the person's stand and the run ends.
 */
export class Workbench {
  private readonly copies = new Map<MemoryFile, Copy>();
  private readonly skills = new Map<string, string>();
  private readGuide = false;

  /** Why the run cannot be finished, once that is known. */
  blocked: Blocked | undefined;

  private constructor(
    private readonly deps: WorkbenchDeps,
    private readonly plan: Plan,
    /** Called once when the run cannot be finished any more. */
    private readonly stop: () => void,
  ) {}

  /** Reads the three files as they are now. Throws `Blocked`. */
  static async open(deps: WorkbenchDeps, plan: Plan, stop: () => void): Promise<Workbench> {
    const bench = new Workbench(deps, plan, stop);
    for (const path of MEMORY_FILES) {
      const base = await readHomeFile(deps, path);
      bench.copies.set(path, { base, text: base.text });
    }
    return bench;
  }

  /** The text of one of the three files as Dream has it now. */
  text(file: MemoryFile): string {
    return this.copies.get(file)?.text ?? '';
  }

  /** What a path the model wrote says now, of what it may read: the three files and skills. Throws a `ToolError`. */
  async read(written: string): Promise<{ path: string; text: string }> {
    const path = this.locate(written);
    const file = memoryFile(path);
    if (file) return { path, text: (await this.fresh(file)).text };
    const staged = this.skills.get(path);
    if (staged !== undefined) return { path, text: staged };
    if (!SKILL_PATH.test(path)) throw new ToolError(`${written} may not be read here. ${READABLE}`);
    const skill = await inWords(() => readHomeFile(this.deps, path));
    if (path === GUIDE_PATH) this.readGuide = true;
    if (skill.bytes !== undefined) return { path, text: skill.text };
    if (path === GUIDE_PATH) return { path, text: await this.deps.skillGuide() };
    throw new ToolError(`There is no ${path}.`);
  }

  /**
   * Changes one of the three files by a function that makes the new text of the old; what it throws is passed on. Throws a `ToolError` for any
   * other file, and for a change that is none or more than an edit.
   */
  async edit(
    written: string,
    change: (text: string) => string,
  ): Promise<{ path: string; before: string; after: string }> {
    const path = this.locate(written);
    const file = memoryFile(path);
    if (!file) throw new ToolError(`${written} may not be edited. Only SOUL.md, USER.md and memory/MEMORY.md may.`);
    if (!this.mayEdit(file)) {
      throw new ToolError(`No finding is about ${file}, so it stays as it is. The findings name: ${this.named()}.`);
    }
    const copy = await this.fresh(file);
    const before = copy.text;
    const after = change(before);
    if (after === before) throw new ToolError(`Old and new text are the same: ${file} would not change.`);
    const added = after.length - copy.base.text.length;
    if (added > MAX_ADDED) {
      throw new ToolError(
        `This adds ${String(added)} characters to ${file}; one Dream may add ${String(MAX_ADDED)}. Say it in fewer words.`,
      );
    }
    const why = tooMuch(copy.base.text, after, this.asked(file));
    if (why !== undefined) throw new ToolError(`${file} was not changed: ${why}`);
    copy.text = after;
    return { path, before, after };
  }

  /** Writes a new skill that a finding asks for. Throws a `ToolError` for any other path, one that exists, and a skill that is not valid. */
  async create(written: string, content: string): Promise<{ path: string }> {
    const path = this.locate(written);
    const name = SKILL_PATH.exec(path)?.[1];
    if (name === undefined) {
      throw new ToolError(
        `${written} may not be written: write_file makes new skills only, as skills/<name>/SKILL.md. Files that exist are changed with edit_file.`,
      );
    }
    if (!SKILL_NAME.test(name) || name.length > 64) {
      throw new ToolError(`"${name}" is no name for a skill: small letters a-z, digits and hyphens, up to 64.`);
    }
    const asked = this.plan.findings.some((finding) => finding.kind === 'skill' && finding.name === name);
    if (!asked) throw new ToolError(`No finding asks for a skill named ${name}. The findings name: ${this.named()}.`);
    await this.requireNew(path, name);
    if (!this.readGuide) throw new ToolError(`Read ${GUIDE_PATH} first: it says what a skill has to hold.`);
    const masked = maskSecrets(content);
    const problem = await skillProblem(name, masked);
    if (problem !== undefined) throw new ToolError(`The skill was not written. ${problem}`);
    this.skills.set(path, masked.endsWith('\n') ? masked : `${masked}\n`);
    return { path };
  }

  /** Everything that is to be changed, against the files as they are on the disk now. Throws `Blocked`. */
  async changes(): Promise<StagedChange[]> {
    const changes: StagedChange[] = [];
    for (const file of MEMORY_FILES) {
      const { base, text } = await this.takeIn(file);
      if (text !== base.text) changes.push({ path: file, before: base.bytes, after: encodeText(text, base.format) });
    }
    for (const [path, text] of this.skills) {
      await requireInHome(this.deps, path);
      if (await this.deps.files.stat(join(this.deps.home, path))) {
        throw new Blocked((t) =>
          t('{0} was made by somebody else while Dream worked. Dream reads the same entries again later.', path),
        );
      }
      changes.push({ path, before: undefined, after: encodeText(text, plainUtf8) });
    }
    return changes;
  }

  private mayEdit(file: MemoryFile): boolean {
    if (file === 'memory/MEMORY.md' && this.plan.condense) return true;
    return this.plan.findings.some((finding) => isAbout(finding, file));
  }

  private asked(file: MemoryFile) {
    const about = this.plan.findings.filter((finding) => isAbout(finding, file));
    return {
      findings: about.length,
      removals: about.filter(({ kind }) => kind === 'remove').length,
      condense: this.plan.condense && file === 'memory/MEMORY.md',
    };
  }

  private named(): string {
    const names = this.plan.findings.map((finding) =>
      finding.kind === 'skill' ? `skills/${finding.name}/SKILL.md` : (finding.file ?? MEMORY_FILES.join(', ')),
    );
    return [...new Set(names)].join(', ');
  }

  /** The path below the home, with `/`. A bare MEMORY.md is the one in memory/. */
  private locate(written: string): string {
    const { home } = this.deps;
    const path = relative(home, resolve(home, written.trim().replaceAll('\\', '/')));
    if (written.includes('\0') || path === '' || path.startsWith('..') || isAbsolute(path)) {
      throw new ToolError(`${written} lies outside of the home. ${READABLE}`);
    }
    const below = path.replaceAll('\\', '/');
    return below === 'MEMORY.md' ? 'memory/MEMORY.md' : below;
  }

  private async requireNew(path: string, name: string): Promise<void> {
    const folder = join(this.deps.home, 'skills');
    const names = (await this.deps.files.list(folder)).map((entry) => entry.name.toLowerCase());
    if (this.skills.has(path) || names.includes(name)) {
      throw new ToolError(
        `There is a skill named ${name} already, and Dream never writes over one. Leave it as it is.`,
      );
    }
    await inWords(() => requireInHome(this.deps, path));
  }

  /** A copy that stands on what is on the disk now. What keeps that from being ends the run. */
  private async fresh(file: MemoryFile): Promise<Copy> {
    try {
      return await this.takeIn(file);
    } catch (cause) {
      if (!(cause instanceof Blocked)) throw cause;
      this.blocked ??= cause;
      this.stop();
      throw new ToolError(cause.english);
    }
  }

  private async takeIn(file: MemoryFile): Promise<Copy> {
    const now = await readHomeFile(this.deps, file);
    const known = this.copies.get(file);
    if (known && sameBytes(known.base.bytes, now.bytes)) return known;
    const text = known ? mergeTexts(known.base.text, known.text, now.text) : now.text;
    if (text === undefined) {
      throw new Blocked((t) =>
        t(
          '{0} was edited while Dream worked on the same lines. Your edit stands; Dream reads the same entries again later.',
          file,
        ),
      );
    }
    const copy = { base: now, text };
    this.copies.set(file, copy);
    return copy;
  }
}

const READABLE = 'Only SOUL.md, USER.md, memory/MEMORY.md and skills/<name>/SKILL.md of the home can be reached.';

function memoryFile(path: string): MemoryFile | undefined {
  return MEMORY_FILES.find((file) => file === path);
}

function isAbout(finding: Finding, file: MemoryFile): boolean {
  return finding.kind !== 'skill' && (finding.file ?? file) === file;
}

/** A file beside the three that is in the way stops one call, not the run. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof Blocked ? new ToolError(cause.english) : cause;
  }
}
