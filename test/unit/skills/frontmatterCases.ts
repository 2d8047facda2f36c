/** What one SKILL.md in the folder `demo` is read as. Absent: the default. */
export interface FrontmatterCase {
  title: string;
  text: string;
  description?: string;
  always?: boolean;
  modelMayUse?: boolean;
  bins?: string[];
  anyBins?: string[];
  env?: string[];
  os?: string[];
  emoji?: string;
  license?: string;
  tools?: string[];
  body?: string;
  /** Words of each warning, in order. */
  warnings?: (string | RegExp)[];
  /** Words of the error, and its line. */
  error?: [RegExp, number];
}

const NAMED = 'name: demo\ndescription: Does it.';

/** A file whose head holds these lines below a proper name and description. */
function head(lines: string, body = 'Steps.\n'): string {
  return `---\n${NAMED}\n${lines}\n---\n${body}`;
}

const OPEN_FORM: FrontmatterCase[] = [
  { title: 'name and description', text: `---\n${NAMED}\n---\n# Demo\n`, body: '# Demo\n' },
  {
    title: 'a description in double quotes',
    text: '---\nname: demo\ndescription: "When: now"\n---\n',
    description: 'When: now',
  },
  {
    title: 'a description in single quotes',
    text: "---\nname: demo\ndescription: 'It''s done'\n---\n",
    description: "It's done",
  },
  {
    title: 'a folded description',
    text: '---\nname: demo\ndescription: >\n  One\n  two.\n---\n',
    description: 'One two.',
  },
  {
    title: 'a folded description without its last line end',
    text: '---\nname: demo\ndescription: >-\n  One\n  two.\n---\n',
    description: 'One two.',
  },
  {
    title: 'a literal description',
    text: '---\nname: demo\ndescription: |\n  One\n  two.\n---\n',
    description: 'One two.',
  },
  {
    title: 'a plain description over two lines',
    text: '---\nname: demo\ndescription: One\n  two.\n---\n',
    description: 'One two.',
  },
  {
    title: 'a description in Chinese',
    text: '---\nname: demo\ndescription: 当需要时使用：天气\n---\n',
    description: '当需要时使用：天气',
  },
  {
    title: 'an escaped description',
    text: '---\nname: demo\ndescription: "caf\\u00e9\\tbar"\n---\n',
    description: 'café bar',
  },
  { title: 'a comment in the head', text: `---\n# a comment\n${NAMED} # more\n---\n` },
  { title: 'CRLF', text: `---\r\nname: demo\r\ndescription: Does it.\r\n---\r\nSteps.\r\n`, body: 'Steps.\n' },
  { title: 'a BOM', text: `\uFEFF---\n${NAMED}\n---\nSteps.\n`, body: 'Steps.\n' },
  { title: 'spaces behind the marks', text: `---  \n${NAMED}\n---\t\nSteps.\n`, body: 'Steps.\n' },
  { title: 'no line end behind the last mark', text: `---\n${NAMED}\n---`, body: '' },
  { title: 'a rule in the body', text: `---\n${NAMED}\n---\nOne\n\n---\n\nTwo\n`, body: 'One\n\n---\n\nTwo\n' },
  {
    title: 'a code fence with a head in the body',
    text: `---\n${NAMED}\n---\n\`\`\`\n---\nname: x\n---\n\`\`\`\n`,
    body: '```\n---\nname: x\n---\n```\n',
  },
  { title: 'a license', text: head('license: Apache-2.0'), license: 'Apache-2.0' },
  {
    title: 'a license with a colon',
    text: head('license: MIT: see LICENSE.txt'),
    license: 'MIT: see LICENSE.txt',
    warnings: ['quotes'],
  },
  { title: 'allowed-tools as words', text: head('allowed-tools: Read Write'), tools: ['Read', 'Write'] },
  {
    title: 'allowed-tools with commas',
    text: head('allowed-tools: Read, Bash(git add:*), Write'),
    tools: ['Read', 'Bash(git add:*)', 'Write'],
  },
  { title: 'allowed-tools as a list', text: head('allowed-tools: [Read, Write]'), tools: ['Read', 'Write'] },
  { title: 'allowed-tools as a block', text: head('allowed-tools:\n  - Read\n  - Write'), tools: ['Read', 'Write'] },
  { title: 'allowed_tools', text: head('allowed_tools: Read'), tools: ['Read'] },
  { title: 'names nobody knows', text: head('version: 1.0.0\nauthor: {name: Ada}\ntags: [a, b]') },
  { title: 'a skill only a person may call for', text: head('disable-model-invocation: true'), modelMayUse: false },
];

const ALWAYS: FrontmatterCase[] = [
  ...['true', 'True', 'yes', 'on', '"true"', '1'].map((value) => ({
    title: `always: ${value}`,
    text: head(`always: ${value}`),
    always: true,
  })),
  ...['false', 'no', 'off', '""', 'null', '~', '0'].map((value) => ({
    title: `always: ${value}`,
    text: head(`always: ${value}`),
    always: false,
  })),
  { title: 'always without a value', text: head('always:'), always: false },
  {
    title: 'always: maybe',
    text: head('always: maybe'),
    always: false,
    warnings: [/expected true or false, not "maybe"/],
  },
  { title: 'always in metadata.nanobot', text: head('metadata:\n  nanobot:\n    always: true'), always: true },
  { title: 'always in metadata itself', text: head('metadata: {always: true}'), always: true },
  { title: 'always in a top-level nanobot', text: head('nanobot:\n  always: true'), always: true },
  { title: 'always in JSON in metadata', text: head('metadata: \'{"nanobot":{"always":true}}\''), always: true },
  {
    title: 'always: false of nanobot over always: true of the head',
    text: head('always: true\nmetadata: {nanobot: {always: false}}'),
    always: false,
  },
];

const NEEDS: FrontmatterCase[] = [
  {
    title: 'metadata as a flow map',
    text: head('metadata: {"nanobot":{"emoji":"🐙","requires":{"bins":["gh"]}}}'),
    bins: ['gh'],
    emoji: '🐙',
  },
  {
    title: 'metadata as a block',
    text: head('metadata:\n  nanobot:\n    requires:\n      bins: [gh, jq]\n      env:\n        - GH_TOKEN'),
    bins: ['gh', 'jq'],
    env: ['GH_TOKEN'],
  },
  {
    title: 'metadata as a JSON string',
    text: head('metadata: \'{"nanobot":{"requires":{"env":["A"]}}}\''),
    env: ['A'],
  },
  {
    title: 'metadata as a JSON string in double quotes',
    text: head('metadata: "{\\"nanobot\\":{\\"requires\\":{\\"bins\\":[\\"gh\\"]}}}"'),
    bins: ['gh'],
  },
  {
    title: 'metadata as block-scalar JSON',
    text: head('metadata: |\n  {"nanobot": {"requires": {"bins": ["curl"]}}}'),
    bins: ['curl'],
  },
  {
    title: 'metadata as folded JSON over lines',
    text: head('metadata: >\n  {"nanobot":\n  {"requires": {"bins": ["curl"]}}}'),
    bins: ['curl'],
  },
  {
    title: 'metadata over lines with commas at the ends',
    text: head('metadata:\n  {\n    "openclaw":\n      {\n        "requires": { "bins": ["uv"], },\n      },\n  }'),
    bins: ['uv'],
  },
  {
    title: 'JSON with commas at the ends in a block scalar',
    text: head('metadata: |\n  {"nanobot": {"requires": {"bins": ["uv",],},},}'),
    bins: ['uv'],
  },
  {
    title: 'openclaw',
    text: head('metadata: {"openclaw":{"requires":{"bins":["rg"],"anyBins":["claude","codex"]}}}'),
    bins: ['rg'],
    anyBins: ['claude', 'codex'],
  },
  {
    title: 'nanobot before openclaw',
    text: head('metadata: {"openclaw":{"requires":{"bins":["a"]}},"nanobot":{"requires":{"bins":["b"]}}}'),
    bins: ['b'],
  },
  {
    title: 'a top-level nanobot',
    text: head('nanobot:\n  emoji: x\n  requires:\n    bins: [gh]'),
    bins: ['gh'],
    emoji: 'x',
  },
  { title: 'a top-level nanobot as JSON', text: head('nanobot: \'{"requires":{"bins":["gh"]}}\''), bins: ['gh'] },
  { title: 'a top-level requires', text: head('requires:\n  bins: [tmux]'), bins: ['tmux'] },
  {
    title: 'a top-level requires as block-scalar JSON',
    text: head('requires: |\n  {"bins": ["tmux"], "env": ["B"]}'),
    bins: ['tmux'],
    env: ['B'],
  },
  { title: 'requires in metadata itself', text: head('metadata: {requires: {bins: [x]}}'), bins: ['x'] },
  { title: 'one program without a list', text: head('requires: {bins: gh}'), bins: ['gh'] },
  { title: 'programs with commas', text: head('requires: {bins: "gh, jq"}'), bins: ['gh', 'jq'] },
  { title: 'a program twice', text: head('requires: {bins: [gh, gh]}'), bins: ['gh'] },
  { title: 'a program that looks like a number', text: head('requires: {bins: [7]}'), bins: ['7'] },
  {
    title: 'lists with things that are no names',
    text: head('requires: {bins: [gh, null, {a: b}, [c]]}'),
    bins: ['gh'],
  },
  { title: 'os in metadata', text: head('metadata: {"nanobot":{"os":["darwin","linux"]}}'), os: ['macOS', 'Linux'] },
  { title: 'os at the top', text: head('os: win32'), os: ['Windows'] },
  { title: 'an os nobody knows', text: head('os: [plan9]'), os: ['plan9'] },
  { title: 'metadata without an agent of ours', text: head('metadata: {author: Ada, version: "1.0"}') },
  { title: 'metadata without a value', text: head('metadata:') },
  { title: 'metadata as a word', text: head('metadata: hello'), warnings: [/metadata: expected names with values/] },
  { title: 'metadata as a list', text: head('metadata: [a]'), warnings: [/metadata: expected names with values/] },
  {
    title: 'metadata as broken JSON',
    text: head('metadata: \'{"nanobot":\''),
    warnings: [/metadata: expected names with values/],
  },
];

const ODD: FrontmatterCase[] = [
  {
    title: 'a date for a name',
    text: '---\nname: 2026-04-15\ndescription: x\n---\n',
    description: 'x',
    warnings: [/Its name is "2026-04-15"/],
  },
  { title: 'a number for a description', text: '---\nname: demo\ndescription: 0123\n---\n', description: '0123' },
  {
    title: 'a date for a description',
    text: '---\nname: demo\ndescription: 2026-04-15\n---\n',
    description: '2026-04-15',
  },
  {
    title: 'a description with a colon and no quotes',
    text: '---\nname: demo\ndescription: Use when: asked\n---\nSteps.\n',
    description: 'Use when: asked',
    warnings: ['quotes'],
  },
  {
    title: 'such a description over two lines',
    text: '---\nname: demo\ndescription: Use when: asked\n  or told\nalways: true\n---\n',
    description: 'Use when: asked or told',
    always: true,
    warnings: ['quotes'],
  },
  {
    title: 'a description that begins with a mark of YAML',
    text: '---\nname: demo\ndescription: @all of it\n---\n',
    description: '@all of it',
    warnings: ['quotes'],
  },
  {
    title: 'a description with an open bracket',
    text: '---\nname: demo\ndescription: [draft\n---\n',
    description: '[draft',
    warnings: ['quotes'],
  },
  {
    title: 'no head',
    text: '# Demo\n\nDoes a thing.\n',
    description: 'Does a thing.',
    body: '# Demo\n\nDoes a thing.\n',
    warnings: [/does not begin with a YAML head/],
  },
  { title: 'an empty file', text: '', description: 'demo', body: '', warnings: [/does not begin with a YAML head/] },
  {
    title: 'an empty head',
    text: '---\n---\nDoes a thing.\n',
    description: 'Does a thing.',
    warnings: ['has no name', 'has no description'],
  },
  { title: 'no name', text: '---\ndescription: x\n---\n', description: 'x', warnings: ['has no name'] },
  {
    title: 'no description',
    text: '---\nname: demo\n---\n# Title\nFirst words.\n',
    description: 'First words.',
    warnings: ['has no description'],
  },
  {
    title: 'another name than its folder',
    text: '---\nname: other\ndescription: x\n---\n',
    description: 'x',
    warnings: [/Its name is "other" and its folder "demo"/],
  },
  {
    title: 'a description that is too long',
    text: `---\nname: demo\ndescription: ${'x'.repeat(1_100)}\n---\n`,
    description: 'x'.repeat(1_024),
    warnings: ['1100 characters'],
  },
  {
    title: 'a key named __proto__',
    text: head('__proto__: {always: true, metadata: {nanobot: {requires: {bins: [x]}}}}'),
  },
  { title: 'a key of every object', text: head('constructor: x\ntoString: y\nhasOwnProperty: z') },
  { title: 'an anchor that names itself', text: head('metadata: &a\n  nanobot: *a') },
];

const BROKEN: FrontmatterCase[] = [
  { title: 'broken YAML', text: head('metadata: {a: [b'), error: [/YAML head cannot be read/, 5] },
  { title: 'a tab in front', text: head('metadata:\n\tnanobot: x'), error: [/YAML head cannot be read/, 5] },
  { title: 'a name twice', text: head('always: true\nalways: false'), error: [/duplicated mapping key/, 5] },
  { title: 'a head that is not closed', text: `---\n${NAMED}\nSteps.\n`, error: [/not closed/, 1] },
  { title: 'a head that is a list', text: '---\n- a\n- b\n---\n', error: [/not a list of names/, 2] },
  { title: 'a head that is a sentence', text: '---\njust words\n---\n', error: [/not a list of names/, 2] },
  {
    title: 'a line of the head that begins with ---',
    text: '---\nname: demo\n----\n---\n',
    error: [/begins with ---/, 3],
  },
  { title: 'two documents', text: '---\nname: demo\n--- x\n---\n', error: [/begins with ---/, 3] },
  { title: 'JavaScript', text: '---js\n{name: (globalThis.ranSkill = true)}\n---\n', error: [/"---js": only ---/, 1] },
  {
    title: 'JavaScript by its long name',
    text: '---javascript\nglobalThis.ranSkill = true\n---\n',
    error: [/only ---/, 1],
  },
  { title: 'JavaScript behind a space', text: '--- js\nglobalThis.ranSkill = true\n---\n', error: [/only ---/, 1] },
  { title: 'JSON', text: '---json\n{"name":"demo"}\n---\n', error: [/only ---/, 1] },
  { title: 'TOML', text: '---toml\nname = "demo"\n---\n', error: [/only ---/, 1] },
  { title: 'YAML by its name', text: '---yaml\nname: demo\n---\n', error: [/only ---/, 1] },
  { title: 'CoffeeScript', text: '---coffee\nglobalThis.ranSkill = true\n---\n', error: [/only ---/, 1] },
  {
    title: 'a tag that makes a function',
    text: head('run: !!js/function "function(){ globalThis.ranSkill = true }"'),
    error: [/unknown tag/, 4],
  },
  { title: 'a tag that makes a pattern', text: head('run: !!js/regexp /a/'), error: [/unknown tag/, 4] },
];

/** Every form that formats.md names, those people write by mistake, and those that must not do anything. */
export const CASES: FrontmatterCase[] = [...OPEN_FORM, ...ALWAYS, ...NEEDS, ...ODD, ...BROKEN];
