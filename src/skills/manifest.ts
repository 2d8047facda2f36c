import type { Words } from '../platform/words.js';
import { problemOf, readHead, yamlParse, type Frontmatter, type SkillProblem, type YamlParse } from './frontmatter.js';

/** Characters of a name, and of a description. */
export const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1_024;
/** Names in one list of needs or tools; more than that is no list a person wrote. */
const MAX_LIST = 100;

/** Where `metadata` keeps what belongs to one agent. */
const AGENT_KEYS = ['nanobot', 'openclaw', 'clawdbot'];

/** Systems by the names that skills use for them. */
const SYSTEMS: Record<string, string> = {
  ...{ darwin: 'macOS', macos: 'macOS', mac: 'macOS', osx: 'macOS' },
  ...{ win32: 'Windows', windows: 'Windows', win: 'Windows' },
  linux: 'Linux',
};

/** What a skill needs before it can be used. */
export interface SkillNeeds {
  /** Programs that must be on PATH. */
  bins: string[];
  /** Programs of which one must be. */
  anyBins: string[];
  /** Environment variables that must be set. */
  env: string[];
  /** Systems it works on ("Linux", "macOS", "Windows"); empty: all. */
  os: string[];
}

/** What a SKILL.md says of itself, whichever form it was written in. */
export interface SkillManifest {
  description: string;
  /** Its body stands in every prompt. */
  always: boolean;
  /** False where only a person may call for it. */
  modelMayUse: boolean;
  needs: SkillNeeds;
  emoji: string;
  license: string;
  allowedTools: string[];
  problems: SkillProblem[];
  /** What follows the head. */
  body: string;
}

type Values = Record<string, unknown>;

/**
 * Reads a SKILL.md that lies in a folder of this name. Never throws: a file that cannot be used yields a manifest with an error among its
 * problems. A file without any head is used by its folder's name, as nanobot does.
 */
export async function readManifest(text: string, folder: string): Promise<SkillManifest> {
  const read = await readHead(text);
  if ('problem' in read) {
    const { problem, line, missing } = read;
    const begun: Words = (t) => problem(t).replace(/^./, (first) => first.toUpperCase());
    const manifest = emptyManifest(text);
    if (!missing) return { ...manifest, problems: [problemOf('error', line, (t) => t('{0}.', begun(t)))] };
    return {
      ...manifest,
      description: firstWords(text) || folder,
      problems: [
        problemOf('warning', 1, (t) =>
          t('{0}. Add one with name and description; until then its first words describe it.', begun(t)),
        ),
      ],
    };
  }
  return new Reader(read, folder, await yamlParse()).read();
}

/** What is known of a skill before its head is read. */
export function emptyManifest(body: string): SkillManifest {
  return {
    description: '',
    always: false,
    modelMayUse: true,
    needs: { bins: [], anyBins: [], env: [], os: [] },
    emoji: '',
    license: '',
    allowedTools: [],
    problems: [],
    body,
  };
}

/** Brings the forms of one head together. */
class Reader {
  private readonly problems: SkillProblem[];

  constructor(
    private readonly head: Frontmatter,
    private readonly folder: string,
    private readonly parse: YamlParse,
  ) {
    this.problems = [...head.warnings];
  }

  read(): SkillManifest {
    const { data, body } = this.head;
    const metadata = this.map(own(data, 'metadata'), 'metadata');
    // The form that is named first wins: the agent's own part of metadata, then the older ones.
    const parts = [
      ...AGENT_KEYS.map((key) => this.map(own(metadata, key), 'metadata')),
      ...AGENT_KEYS.map((key) => this.map(own(data, key), key)),
      metadata,
      data,
    ];
    const first = (key: string) => parts.map((part) => own(part, key)).find((value) => textOf(value) !== undefined);
    this.checkName(textOf(own(data, 'name')));
    return {
      description: this.description(textOf(own(data, 'description')) ?? '', body),
      always: this.flag(first('always'), 'always', false),
      modelMayUse: !this.flag(own(data, 'disable-model-invocation'), 'disable-model-invocation', false),
      needs: this.needs(parts),
      emoji: textOf(first('emoji')) ?? '',
      license: textOf(own(data, 'license')) ?? '',
      allowedTools: listOf(own(data, 'allowed-tools') ?? own(data, 'allowed_tools'), /[\s,]+(?![^(]*\))/),
      problems: this.problems,
      body,
    };
  }

  private checkName(name: string | undefined): void {
    const { folder } = this;
    const line = this.head.lineOf('name');
    if (name === undefined || name === '') {
      this.warn(1, (t) => t('It has no name; that of its folder, {0}, is used.', folder));
    } else if (name !== folder) {
      this.warn(line, (t) =>
        t('Its name is "{0}" and its folder "{1}": the folder\'s counts. Rename one of them.', name, folder),
      );
    }
    if (isSkillName(folder)) return;
    this.warn(line, (t) =>
      t('"{0}" is no proper name for a skill: small letters, digits and hyphens, at most 64.', folder),
    );
  }

  private description(text: string, body: string): string {
    const line = this.head.lineOf('description');
    const plain = text.replace(/\s+/g, ' ').trim();
    if (plain === '') {
      this.warn(line, (t) => t('It has no description, so nothing says when to use it. Add one.'));
      return firstWords(body) || this.folder;
    }
    if (plain.length > MAX_DESCRIPTION) {
      this.warn(line, (t) => t('Its description has {0} characters; {1} are shown.', plain.length, MAX_DESCRIPTION));
    }
    return plain.slice(0, MAX_DESCRIPTION);
  }

  private needs(parts: Values[]): SkillNeeds {
    const requires = parts.map((part) => this.map(own(part, 'requires'), 'requires'));
    const list = (key: string) => {
      const values = [...requires].map((part) => own(part, key));
      return listOf(values.find((value) => listOf(value).length > 0));
    };
    const systems = [...parts, ...requires].map((part) => listOf(own(part, 'os'))).find((found) => found.length > 0);
    const os = (systems ?? []).map((name) => SYSTEMS[name.toLowerCase()] ?? name);
    return { bins: list('bins'), anyBins: list('anyBins'), env: list('env'), os: [...new Set(os)] };
  }

  private flag(value: unknown, key: string, fallback: boolean): boolean {
    const text = (textOf(value) ?? '').toLowerCase();
    if (/^(?:true|yes|on|y|1)$/.test(text)) return true;
    if (text !== '' && !/^(?:false|no|off|n|0|null|~)$/.test(text)) {
      this.warn(this.head.lineOf(key), (t) => t('{0}: expected true or false, not "{1}".', key, text.slice(0, 40)));
    }
    return fallback;
  }

  /** A map, or a text that holds one as JSON or YAML. Anything else is named and counts as empty. */
  private map(value: unknown, key: string): Values {
    let found = value;
    if (typeof value === 'string') {
      if (/^(?:null|~)?$/.test(value.trim())) return {};
      try {
        found = parsed(value, this.parse);
      } catch {
        found = undefined;
      }
    }
    if (found === null || (found === undefined && value === undefined)) return {};
    if (typeof found === 'object' && !Array.isArray(found)) return found as Values;
    this.warn(this.head.lineOf(key), (t) =>
      t('{0}: expected names with values, as YAML or JSON; it is left out.', key),
    );
    return {};
  }

  private warn(line: number, words: Words): void {
    this.problems.push(problemOf('warning', line, words));
  }
}

/** Whether a text is a name that the open form of skills allows. */
export function isSkillName(name: string): boolean {
  return name.length <= MAX_NAME && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
}

/** JSON first: a text in it may hold what YAML reads in another way. */
function parsed(text: string, parse: YamlParse): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return parse(text);
  }
}

/** Only what the head itself says: a key named `__proto__` must not give it more. */
function own(values: Values, key: string): unknown {
  return Object.hasOwn(values, key) ? (values[key] ?? undefined) : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A list, or one text that separates its words. What is no text is left out. */
function listOf(value: unknown, separator = /[\s,]+/): string[] {
  const words = Array.isArray(value) ? value : (textOf(value) ?? '').split(separator);
  const texts = words.slice(0, MAX_LIST).map((word) => textOf(word) ?? '');
  return [...new Set(texts.filter((word) => word !== '' && word !== '~' && word !== 'null'))];
}

/** The first line of a body that is no heading. */
function firstWords(body: string): string {
  const lines = body
    .slice(0, 10_000)
    .split('\n')
    .map((line) => line.trim());
  return (lines.find((line) => /^[^#\-`<|>]/.test(line)) ?? '').slice(0, 200);
}
