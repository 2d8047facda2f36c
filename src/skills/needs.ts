import { delimiter, isAbsolute, join } from 'node:path';
import type { Files } from '../platform/ports.js';
import type { SkillNeeds } from './manifest.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which of the programs that skills ask for are on PATH. Looks at the disk only in `look`. */
export class Programs {
  private present = new Set<string>();

  constructor(private readonly deps: { files: Pick<Files, 'stat'>; env: Environment; os: string }) {}

  /** The folders of PATH, each once. */
  folders(): string[] {
    const path = valueOf(this.deps.env, 'PATH', this.deps.os) ?? '';
    return [...new Set(path.split(delimiter).filter((folder) => isAbsolute(folder)))];
  }

  /** Looks for these programs anew; resolves with whether anything is other than before. */
  async look(names: Iterable<string>): Promise<boolean> {
    const present = new Set<string>();
    await Promise.all(
      [...names].map(async (name) => {
        if (await this.isThere(name)) present.add(name);
      }),
    );
    const changed = present.size !== this.present.size || [...present].some((name) => !this.present.has(name));
    this.present = present;
    return changed;
  }

  has(name: string): boolean {
    return this.present.has(name);
  }

  private async isThere(name: string): Promise<boolean> {
    if (name.includes('/') || name.includes('\\')) return isAbsolute(name) && this.isProgram(name);
    for (const folder of this.folders()) {
      for (const ending of this.endings()) if (await this.isProgram(join(folder, name + ending))) return true;
    }
    return false;
  }

  private async isProgram(path: string): Promise<boolean> {
    const stat = await this.deps.files.stat(path).catch(() => undefined);
    if (stat?.type !== 'file') return false;
    return this.deps.os === 'Windows' || stat.mode === undefined || (stat.mode & 0o111) !== 0;
  }

  private endings(): string[] {
    if (this.deps.os !== 'Windows') return [''];
    return ['', ...(valueOf(this.deps.env, 'PATHEXT', 'Windows') ?? '.EXE;.CMD;.BAT').split(';')];
  }
}

/** What of a skill's needs is not met, as words for people and the model. */
export function missingOf(needs: SkillNeeds, programs: Pick<Programs, 'has'>, env: Environment, os: string): string[] {
  const { anyBins } = needs;
  const noneOf = anyBins.length > 0 && !anyBins.some((name) => programs.has(name));
  return [
    ...(needs.os.length > 0 && !needs.os.includes(os) ? [needs.os.join(' or ')] : []),
    ...needs.bins.filter((name) => !programs.has(name)),
    ...(noneOf ? [anyBins.length === 1 ? (anyBins[0] ?? '') : `one of ${anyBins.join(', ')}`] : []),
    ...needs.env.filter((name) => !valueOf(env, name, os)),
  ];
}

/** An empty variable counts as one that is not set. Windows takes `Path` and `PATH` for the same name. */
function valueOf(env: Environment, name: string, os: string): string | undefined {
  const found = env[name];
  if (found !== undefined || os !== 'Windows') return found;
  const key = Object.keys(env).find((other) => other.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}
