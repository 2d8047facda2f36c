import { dirname } from 'node:path';
import type { Clock, Disposable, Files, Log } from '../platform/ports.js';
import { englishReason } from '../platform/words.js';
import { readFrontmatter } from './frontmatter.js';
import { missingOf, Programs } from './needs.js';
import { boundedBody, readSkillText, scanSources, type FoundSkill } from './scan.js';
import { MAX_DESCRIPTION } from './manifest.js';
import type { Skill, SkillSource } from './skill.js';

/** Watches begun at a stretch: each asks the system something. */
const WATCH_BATCH = 10;

export interface SkillsDeps {
  files: Files;
  clock: Pick<Clock, 'sleep'>;
  log: Log;
  realPath(path: string): Promise<string>;
  /** In the order of their precedence; asked again whenever skills are. */
  sources(): SkillSource[];
  /** Names that are switched off. */
  disabled(): readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** "Linux", "macOS", "Windows". */
  os: string;
}

/**
 * SkillsLoader: what skills there are and whether they can be used. They are read once, at the first use, and then only what a watcher saw change;
 * a turn reads nothing. Nothing in a skill is ever run. What is wrong with a skill is said by the skill and harms no other.
 */
export class SkillsLoader {
  private found: FoundSkill[] = [];
  private readonly programs: Programs;
  private readonly listeners = new Set<() => void>();
  private readonly watches = new Map<string, Disposable>();
  private scannedFor: string | undefined;
  private scanning: Promise<void> | undefined;
  private watching: Promise<void> = Promise.resolve();
  private isStale = false;
  private disposed = false;
  /** Counts scans that found something else than before. */
  private version = 0;
  private derived: { key: string; skills: readonly Skill[] } | undefined;

  constructor(private readonly deps: SkillsDeps) {
    this.programs = new Programs(deps);
  }

  /**
   * The skills by name. Waits for a scan only at the first use and after the sources changed; otherwise the same array as before until something
   * changed. Never rejects.
   */
  async current(): Promise<readonly Skill[]> {
    if (this.scannedFor !== sourcesKey(this.deps.sources())) await this.refresh();
    return this.list();
  }

  /** The skills as they are known now; none before the first scan. */
  list(): readonly Skill[] {
    const key = JSON.stringify([this.version, this.deps.disabled(), this.environmentKey()]);
    if (this.derived?.key !== key) this.derived = { key, skills: this.derive() };
    return this.derived.skills;
  }

  /** The skill of that name, whatever the letters' case; looks on the disk again before it says that there is none. */
  async find(name: string): Promise<Skill | undefined> {
    const wanted = name.toLowerCase();
    const among = (skills: readonly Skill[]) => skills.find((skill) => skill.name.toLowerCase() === wanted);
    const known = among(await this.current());
    if (known) return known;
    await this.refresh();
    return among(this.list());
  }

  /** What the skill tells to do, cut at 24,000 characters. Throws in words for the model where its file cannot be read any more. */
  async body(skill: Skill): Promise<string> {
    const text = await readSkillText(this.deps, skill.path, skill.source).catch((cause: unknown) => {
      throw new Error(englishReason(cause), { cause });
    });
    if (text === undefined) throw new Error('SKILL.md is not a text.');
    const read = await readFrontmatter(text);
    if ('problem' in read && !read.missing) throw new Error(`SKILL.md cannot be read: ${read.problem}.`);
    const body = 'problem' in read ? text : read.body;
    return boundedBody(body.replaceAll('{baseDir}', skill.folder), skill.path);
  }

  /** Looks on the disk again; what did not change is not read. Resolves when everything that changed before the call is known. Never rejects. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.scanning ??= this.scanUntilFresh().finally(() => (this.scanning = undefined));
    return this.scanning;
  }

  /** Tells that what `list` says may be other than before, because of something this loader does not watch (a setting). */
  changed(): void {
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls back after skills, their needs or their state changed. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  dispose(): void {
    this.disposed = true;
    this.listeners.clear();
    for (const watch of this.watches.values()) watch.dispose();
    this.watches.clear();
  }

  private async scanUntilFresh(): Promise<void> {
    while (this.isStale && !this.disposed) {
      this.isStale = false;
      const sources = this.deps.sources();
      try {
        await this.scan(sources);
      } catch (cause) {
        this.deps.log.error('The skills could not be looked at.', cause);
      }
      this.scannedFor = sourcesKey(sources);
    }
  }

  private async scan(sources: SkillSource[]): Promise<void> {
    const known = new Map(this.found.map((skill) => [skill.path, skill]));
    const found = await scanSources(this.deps, sources, known);
    const bins = new Set(found.flatMap(({ manifest: { needs } }) => [...needs.bins, ...needs.anyBins]));
    const differs =
      found.length !== this.found.length || found.some((skill) => known.get(skill.path)?.stamp !== skill.stamp);
    const programs = await this.programs.look(bins);
    const isNew = differs || programs || this.scannedFor !== sourcesKey(sources);
    this.found = found;
    this.watching = this.watching.then(() => this.watch(sources, bins.size > 0));
    if (!isNew) return;
    this.version++;
    this.changed();
  }

  /** The folders of skills, each SKILL.md, and PATH where a skill asks for a program. What is built in does not change. */
  private async watch(sources: readonly SkillSource[], needsPrograms: boolean): Promise<void> {
    const own = (source: SkillSource) => source.kind !== 'built-in';
    const wanted = new Set([
      ...sources.filter(own).map(({ folder }) => folder),
      ...this.found.filter(({ source }) => own(source)).map(({ path }) => path),
      ...(needsPrograms ? this.programs.folders() : []),
    ]);
    for (const [path, watch] of this.watches) {
      if (wanted.has(path)) continue;
      watch.dispose();
      this.watches.delete(path);
    }
    let begun = 0;
    for (const path of wanted) {
      if (this.disposed) return;
      if (this.watches.has(path)) continue;
      this.watches.set(
        path,
        this.deps.files.watch(path, () => void this.refresh()),
      );
      if (++begun % WATCH_BATCH === 0) await this.deps.clock.sleep(0);
    }
    // What changed between the look and the watch has told nobody.
    if (begun > 0) void this.refresh();
  }

  private derive(): readonly Skill[] {
    const disabled = new Set(this.deps.disabled().map((name) => name.toLowerCase()));
    const byName = new Map<string, Skill>();
    for (const found of this.found) {
      const key = found.name.toLowerCase();
      const first = byName.get(key);
      if (first) first.overrides.push({ source: found.source, path: found.path });
      else byName.set(key, this.skillOf(found, disabled.has(key)));
    }
    return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  private skillOf({ name, path, source, manifest }: FoundSkill, disabled: boolean): Skill {
    const { env, os } = this.deps;
    const folder = dirname(path);
    return {
      ...manifest,
      name,
      description: (manifest.description || name).slice(0, MAX_DESCRIPTION),
      path,
      folder,
      source,
      missing: missingOf(manifest.needs, this.programs, env, os),
      disabled,
      overrides: [],
      body: manifest.body.replaceAll('{baseDir}', folder),
    };
  }

  /** Which of the variables that skills ask for are set: the environment changes without a word. */
  private environmentKey(): string[] {
    const names = new Set(this.found.flatMap(({ manifest }) => manifest.needs.env));
    return [...names].filter((name) => this.deps.env[name]);
  }
}

function sourcesKey(sources: readonly SkillSource[]): string {
  return sources.map(({ folder }) => folder).join('\n');
}
