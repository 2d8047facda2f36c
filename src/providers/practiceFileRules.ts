import { inWords, quoted, type Rule, type RuleContext, type Step } from './practicePlan.js';

/** Lines of a file or a listing that are shown. */
const SHOWN = 20;

/** A name without the quotes or backticks people put around it. */
function bare(name: string): string {
  return name.replace(/^[`"'“”「」]+|[`"'“”「」]+$/g, '');
}

/** read_file's text without its line numbers. */
export function contentOf(result: string): string {
  const numbered = result.split('\n').filter((line) => /^\s*\d+\| ?/.test(line));
  return numbered.length === 0 ? result : numbered.map((line) => line.replace(/^\s*\d+\| ?/, '')).join('\n');
}

function readStep(path: string, context: RuleContext): Step {
  return {
    kind: 'call',
    tool: 'read_file',
    // Asked for in so many words, it is shown again even if nothing changed.
    args: { path, force: true },
    announce: inWords(context, `Reading ${path}.`, `读取 ${path}。`),
    report: (result) =>
      inWords(context, `${path} says:`, `${path} 的内容：`) + `\n\n${quoted(contentOf(result), SHOWN)}`,
  };
}

/** A call whose result is shown as it is, below a sentence. */
function shownStep(tool: string, args: Record<string, unknown>, announce: string, lead: string): Step {
  return { kind: 'call', tool, args, announce, report: (result) => `${lead}\n\n${quoted(result, SHOWN)}` };
}

/** Reads first, since an edit needs the text it is based on. */
function replaceSteps(path: string, from: string, to: string, context: RuleContext): Step[] {
  const edit = shownStep(
    'edit_file',
    { path, edits: [{ old_text: from, new_text: to, replace_all: true }] },
    inWords(context, `Replacing "${from}" with "${to}".`, `把“${from}”换成“${to}”。`),
    inWords(context, `${path} is changed.`, `${path} 已修改。`),
  );
  return [
    {
      kind: 'call',
      tool: 'read_file',
      args: { path },
      announce: inWords(context, `Reading ${path} first.`, `先读取 ${path}。`),
      report: () => '',
    },
    edit,
  ];
}

function skillSteps(asked: string, purpose: string, context: RuleContext): Step[] {
  const name =
    asked
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 64) || 'my-skill';
  const what = purpose || inWords(context, 'does what its steps say', '按下面的步骤做');
  const content = [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(inWords(context, `Use when the person asks for this: ${what}`, `当需要时使用：${what}`))}`,
    '---',
    '',
    `# ${name}`,
    '',
    inWords(context, '## When to use', '## 何时使用'),
    '',
    what,
    '',
    inWords(context, '## Steps', '## 步骤'),
    '',
    inWords(
      context,
      '1. Read what is asked.\n2. Do it.\n3. Say what was done.',
      '1. 读清楚要求。\n2. 照做。\n3. 说明做了什么。',
    ),
    '',
  ].join('\n');
  const path = `.nanobot/skills/${name}/SKILL.md`;
  return [
    shownStep(
      'write_file',
      { path, content },
      inWords(context, `Writing the skill to ${path}.`, `把技能写到 ${path}。`),
      inWords(
        context,
        `The skill \`${name}\` is there. Use it with /${name}.`,
        `技能 \`${name}\` 已建好，用 /${name} 调用。`,
      ),
    ),
  ];
}

const READING: Rule[] = [
  {
    forms: [
      /^(?:what are the|show(?: me)?(?: the)?|list(?: the)?|any) (?:problems|diagnostics|errors)$/i,
      /^(?:有(?:什么|哪些|没有)(?:问题|错误)|诊断).*$/,
    ],
    steps: (_, context) => [
      shownStep(
        'diagnostics',
        {},
        inWords(context, 'Looking at the problems.', '看看有哪些问题。'),
        inWords(context, 'The editor knows these:', '编辑器知道的问题：'),
      ),
    ],
  },
  {
    forms: [
      /^glob\s+(\S+)$/i,
      /^find (?:all )?(?:files? )?(?:named |matching |like )?(\S*\*\S*)$/i,
      /^(?:查找|找)(?:所有)?(?:文件)?\s*(\S*\*\S*)$/,
    ],
    steps: ([pattern = ''], context) => [
      shownStep(
        'glob',
        { pattern: bare(pattern) },
        inWords(context, `Looking for ${pattern}.`, `查找 ${pattern}。`),
        inWords(context, 'Found:', '找到：'),
      ),
    ],
  },
  {
    forms: [/^(?:web search|search the web)(?: for)?\s+(.+)$/is, /^(?:上网|网上)(?:查|搜|搜索)[:：\s]*(.+)$/s],
    steps: ([query = ''], context) => [
      shownStep(
        'web_search',
        { query },
        inWords(context, 'Searching the web.', '上网搜索。'),
        inWords(context, 'Results:', '结果：'),
      ),
    ],
  },
  {
    forms: [/^fetch\s+(https?:\S+)$/i, /^(?:抓取|获取)\s*(https?:\S+)$/],
    steps: ([url = ''], context) => [
      shownStep(
        'web_fetch',
        { url },
        inWords(context, `Fetching ${url}.`, `抓取 ${url}。`),
        inWords(context, 'The page says:', '页面内容：'),
      ),
    ],
  },
  {
    forms: [
      /^(?:find|search(?: for)?|grep(?: for)?|look for)\s+(.+?)(?:\s+in\s+(\S+))?$/is,
      /^(?:查找|搜索|搜|找)(?:一下)?[:：\s]*(.+?)(?:\s*在\s*(\S+))?$/s,
    ],
    steps: ([pattern = '', path = ''], context) => [
      shownStep(
        'grep',
        { pattern: bare(pattern), fixed_strings: true, output_mode: 'content', ...(path ? { path: bare(path) } : {}) },
        inWords(context, `Searching for "${bare(pattern)}".`, `搜索“${bare(pattern)}”。`),
        inWords(context, 'Found:', '找到：'),
      ),
    ],
  },
  {
    forms: [
      /^show (?:me )?(?:all )?(?:the )?files(?: here| in (\S+))?$/i,
      /^(?:list|ls)(?: (?:the|all|files|folders?|directory|here|in|of|under))*(?:\s+(\S+))?$/i,
      /^(?:列出|列一下)\s*(?:这里|此处|(?:当前|这个|此)(?:文件夹|目录))(?:里|中|下)?(?:面)?的?(?:所有|全部)?(?:文件|目录)?$/,
      /^(?:列出|列一下)\s*(?:文件|目录)?\s*(\S*?)\s*(?:里|中|下)?(?:的)?(?:所有)?(?:文件|目录)?$/,
    ],
    steps: ([path = ''], context) => [
      shownStep(
        'list_dir',
        { path: bare(path) || '.' },
        inWords(context, `Listing ${path || 'the folder'}.`, `列出 ${path || '文件夹'}。`),
        inWords(context, 'There is:', '内容：'),
      ),
    ],
  },
  {
    forms: [
      /^(?:read|show(?: me)?|open|cat|look at)\s+(?:the )?(?:file )?(\S+)$/i,
      /^what(?:'s|’s| is) in (?:the )?(?:file )?(\S+\.\w+)$/i,
      /^(\S+\.\w+)\s*(?:里|中)?(?:有|写了|是)(?:些)?什么(?:内容)?$/,
      /^(?:读取|阅读|读一下|读|看看|看一下|看|打开|显示)\s*(?:文件)?\s*(\S+)$/,
    ],
    steps: ([path = ''], context) => [readStep(bare(path), context)],
  },
];

const CHANGING: Rule[] = [
  {
    forms: [
      /^(?:make|create|write|add)\s+(?:a |an )?(?:new )?skill(?:\s+(?:called|named))?\s+(\S+?)(?:[:,]?\s+(?:that|which|for|to)\s+(.+))?$/is,
      /^(?:做|创建|新建|写)(?:一个|个)?(?:叫|名为)?\s*([a-z0-9-]+)\s*的?技能[:：,，\s]*(.*)$/is,
      /^(?:做|创建|新建|写)(?:一个|个)?技能\s*([a-z0-9-]+)[:：,，\s]*(.*)$/is,
    ],
    steps: ([name = '', purpose = ''], context) => skillSteps(bare(name), purpose, context),
  },
  {
    forms: [/^(?:run|execute|exec)[:\s]\s*(.+)$/is, /^(?:运行|执行|跑)(?:一下)?(?:命令)?[:：\s]*(.+)$/s],
    steps: ([command = ''], context) => [
      shownStep(
        'exec',
        { command: bare(command) },
        inWords(context, `Running \`${bare(command)}\`.`, `运行 \`${bare(command)}\`。`),
        inWords(context, 'The command ended:', '命令结束：'),
      ),
    ],
  },
  {
    literal: true,
    forms: [/^replace\s+(.+?)\s+(?:with|by)\s+(.+?)\s+in\s+(\S+)$/is],
    steps: ([from = '', to = '', path = ''], context) => replaceSteps(bare(path), bare(from), bare(to), context),
  },
  {
    literal: true,
    forms: [/^[把将]\s*(\S+?)\s*(?:里面|里|中)的?\s*(.+?)\s*(?:替换|换|改)(?:成|为)\s*(.+)$/s],
    steps: ([path = '', from = '', to = ''], context) => replaceSteps(bare(path), bare(from), bare(to), context),
  },
  {
    forms: [
      /^(?:rename|move)\s+(\S+)\s+(?:to|as)\s+(\S+)$/i,
      /^[把将]?\s*(\S+?)\s*(?:重命名|改名)(?:为|成)\s*(\S+)$/,
      /^(?:重命名|改名)\s*(\S+)\s*(?:为|成)\s*(\S+)$/,
    ],
    steps: ([from = '', to = ''], context) => [
      shownStep(
        'rename_file',
        { path: bare(from), to: bare(to) },
        inWords(context, `Renaming ${from} to ${to}.`, `把 ${from} 改名为 ${to}。`),
        inWords(context, 'Done.', '完成。'),
      ),
    ],
  },
  {
    forms: [/^(?:delete|remove)\s+(?:the )?(?:file )?(\S+)$/i, /^(?:删除|删掉)\s*(?:文件)?\s*(\S+)$/],
    steps: ([path = ''], context) => [
      shownStep(
        'delete_file',
        { path: bare(path) },
        inWords(context, `Deleting ${path}.`, `删除 ${path}。`),
        inWords(context, 'Done.', '完成。'),
      ),
    ],
  },
  {
    literal: true,
    forms: [
      /^(?:write|create|make)\s+(?:a |the )?(?:new )?(?:file )?(?:called |named )?(\S+)(?:\s+(?:with|containing|saying)(?: the)?(?: text| content)?:?\s+(.+))?$/is,
      /^(?:写入|写|创建|新建)(?:一个)?(?:文件)?\s*(\S+?)\s*(?:[,，]?\s*(?:内容(?:是|为)?|写上|包含)[:：\s]*(.+))?$/s,
    ],
    steps: ([path = '', text = ''], context) => [
      shownStep(
        'write_file',
        {
          path: bare(path),
          content: `${bare(text) || inWords(context, 'Hello from the practice model.', '练习模型的问候。')}\n`,
        },
        inWords(context, `Writing ${bare(path)}.`, `写入 ${bare(path)}。`),
        inWords(context, `${bare(path)} is written.`, `${bare(path)} 已写好。`),
      ),
    ],
  },
];

/** Requests about files, commands and the web. */
export const FILE_RULES: readonly Rule[] = [...CHANGING, ...READING];
